import { setTimeout as pause } from "node:timers/promises";
import type { DBOSClient, GetWorkflowsInput } from "@dbos-inc/dbos-sdk";
import { countsOf, queueFull } from "../queue-counts.ts";
import { alreadyServed, queueClosed, unknownTurn, writeConflict, wrongState } from "../queue-error.ts";
import { checkTurn, turnDigest, type NewTurn, type QueuedTurn } from "../queued-turn.ts";
import { MAX_WAITING, type Serving, type TurnFilter, type TurnQueue } from "../turn-queue.ts";
import { EngineServing, type ServingTimes } from "./engine-serving.ts";
import { APPLICATION, queueOf, STATUSES, turnOf, versionOf, WORKFLOW } from "./engine-turns.ts";
import { askEngine, loadEngine, quietLogger, type Engine } from "./load-engine.ts";
import { realmLimits, registerRealm, setRealmLimit } from "./realm-queues.ts";

/** How the engine's queue is opened. */
export interface EngineQueueOptions extends Partial<ServingTimes> {
  /** Of the database that holds the store. */
  readonly url: string;
  /** The schema of the engine's own tables; made when it is missing. */
  readonly schema: string;
  /** Waiting turns of a realm beyond which no more are taken. */
  readonly maxWaiting?: number | undefined;
  /** Told what the engine has trouble with. */
  readonly report?: ((text: string) => void) | undefined;
}

const LOOK_EVERY_MS = 250;

/**
 * Opens the queue that an engine runs on Postgres, for any number of processes on any machines.
 *
 * @throws QueueError `engine_missing`, `engine_unavailable`.
 */
export async function openEngineQueue(options: EngineQueueOptions): Promise<TurnQueue> {
  const { url, schema, maxWaiting = MAX_WAITING, report } = options;
  const engine = await loadEngine();
  const client = await askEngine(() => openClient(engine, options));
  let serving: EngineServing | undefined;
  let isClosed = false;

  const list = (filter: GetWorkflowsInput) =>
    askEngine(() =>
      client.listWorkflows({ workflowName: WORKFLOW, applicationName: APPLICATION, ...filter }),
    );
  const get = async (id: string): Promise<QueuedTurn | undefined> => {
    const [row] = await list({ workflowIDs: [id] });
    return row && turnOf(row);
  };
  const require = async (id: string): Promise<QueuedTurn> => {
    const turn = await get(id);
    if (turn === undefined) throw unknownTurn(id);
    return turn;
  };

  return {
    async enqueue(turn) {
      if (isClosed) throw queueClosed();
      checkTurn(turn);
      const known = await get(turn.id);
      if (known === undefined) await admit(turn);
      const kept = known ?? (await require(turn.id));
      if (turnDigest(kept) !== turnDigest(turn)) throw writeConflict(turn.id);
      return kept;
    },
    get,
    async list({ states, realm, limit = 100 }: TurnFilter = {}) {
      const status = states?.flatMap((state) => STATUSES[state]);
      const filter = { ...(status && { status }), ...(realm !== undefined && { queueName: queueOf(realm) }) };
      const rows = await list({ ...filter, limit });
      return rows.map(turnOf).filter(({ state }) => states === undefined || states.includes(state));
    },
    async counts() {
      const status = [...STATUSES.waiting, ...STATUSES.running, ...STATUSES.dead];
      const rows = await list({ status, limit: 10_000 });
      return countsOf(rows.map(turnOf), await askEngine(() => realmLimits(client)));
    },
    async cancel(id) {
      const { state } = await require(id);
      if (state !== "waiting") return false;
      await askEngine(() => client.cancelWorkflow(id));
      const [row] = await list({ workflowIDs: [id] });
      return row?.dequeuedAt === undefined;
    },
    async drop(id) {
      const { state } = await require(id);
      if (state === "waiting" || state === "running") throw wrongState(id, state, "over");
      await askEngine(() => client.deleteWorkflow(id));
    },
    async ended(id, signal) {
      for (;;) {
        signal.throwIfAborted();
        const turn = await require(id);
        if (turn.state !== "waiting" && turn.state !== "running") return turn;
        await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    },
    limitRealm: (realm, limit) => askEngine(() => setRealmLimit(client, realm, limit)),
    async serve(worker): Promise<Serving> {
      if (isClosed) throw queueClosed();
      if (serving !== undefined || engine.DBOS.isInitialized()) throw alreadyServed();
      const begun = (serving = new EngineServing({
        engine,
        client,
        worker,
        options: { ...options, url, schema },
      }));
      await askEngine(() => begun.start(report));
      return {
        async drain(ms) {
          const left = await begun.drain(ms);
          serving = undefined;
          return left;
        },
      };
    },
    async close() {
      isClosed = true;
      await serving?.drain(0);
      serving = undefined;
      await client.destroy();
    },
  };

  async function admit(turn: NewTurn): Promise<void> {
    const { id, realm, sessionId } = turn;
    const queueName = queueOf(realm);
    const filter = { queueName, status: [...STATUSES.waiting], limit: maxWaiting, loadInput: false };
    const waiting = await list(filter);
    if (waiting.length >= maxWaiting) throw queueFull(realm, waiting.length, maxWaiting);
    await askEngine(async () => {
      await registerRealm(client, realm);
      const place = { queueName, queuePartitionKey: sessionId, appVersion: versionOf(turn) };
      await client.enqueue({ workflowName: WORKFLOW, workflowID: id, ...place }, turn);
    });
  }
}

/** Undefined table, undefined schema. Source: PostgreSQL's error codes. */
const NOT_MADE = new Set(["42P01", "3F000"]);

async function openClient(engine: Engine, { url, schema, report }: EngineQueueOptions): Promise<DBOSClient> {
  const client = await engine.DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabaseSchemaName: schema,
    systemDatabasePoolSize: 4,
    applicationName: APPLICATION,
    logger: quietLogger(report),
  });
  try {
    await client.listQueues().catch(async (error: unknown) => {
      if (!NOT_MADE.has((error as { readonly code?: string }).code ?? "")) throw error;
      await makeTables(engine, { url, schema });
    });
    return client;
  } catch (error) {
    await client.destroy();
    throw error;
  }
}

/** The engine makes its tables when it starts; it claims nothing here. */
async function makeTables(
  { DBOS }: Engine,
  { url, schema }: Pick<EngineQueueOptions, "url" | "schema">,
): Promise<void> {
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: url,
    systemDatabaseSchemaName: schema,
    listenQueues: [],
    logger: quietLogger(),
  });
  await DBOS.launch();
  await DBOS.shutdown({ deregister: true });
}
