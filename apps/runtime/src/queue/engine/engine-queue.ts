import { setTimeout as pause } from "node:timers/promises";
import type { DBOSClient, GetWorkflowsInput, WorkflowStatus } from "@dbos-inc/dbos-sdk";
import { countsOf, groupIds, queueFull } from "../queue-counts.ts";
import { alreadyServed, queueClosed, unknownTurn, writeConflict, wrongState } from "../queue-error.ts";
import {
  checkTurn,
  isOver,
  turnDigest,
  type NewTurn,
  type QueuedTurn,
  type TurnState,
} from "../queued-turn.ts";
import {
  MAX_WAITING,
  type QueueWorker,
  type RealmCounts,
  type Serving,
  type TurnFilter,
  type TurnQueue,
} from "../turn-queue.ts";
import { EngineServing, type ServingTimes } from "./engine-serving.ts";
import { listTurns, markOf, queueOf, STATUSES, turnOf, versionOf, WORKFLOW } from "./engine-turns.ts";
import { askEngine, loadEngine, type Engine } from "./load-engine.ts";
import { openClient, type EngineClient, type EnginePlace } from "./open-client.ts";
import type { HeldImages } from "./store-tables.ts";
import { realmLimits, registerRealm, setRealmLimit } from "./realm-queues.ts";

/** How the engine's queue is opened. */
export interface EngineQueueOptions extends EnginePlace, Partial<ServingTimes> {
  /** Waiting turns of a realm beyond which no more are taken. */
  readonly maxWaiting?: number | undefined;
  /** Absent: nobody collects what turns refer to. */
  readonly images?: HeldImages | undefined;
}

const LOOK_EVERY_MS = 250;
/** Most rows of one question. */
const PAGE = 1_000;

/**
 * Opens the queue that an engine runs on Postgres, for any number of processes on any machines.
 *
 * @throws QueueError `engine_missing`, `engine_unavailable`.
 */
export async function openEngineQueue(options: EngineQueueOptions): Promise<TurnQueue> {
  const engine = await loadEngine();
  return new EngineQueue(engine, await askEngine(() => openClient(engine, options)), options);
}

class EngineQueue implements TurnQueue {
  readonly #engine: Engine;
  readonly #opened: EngineClient;
  readonly #client: DBOSClient;
  readonly #options: EngineQueueOptions;
  #serving: EngineServing | undefined;
  #isClosed = false;

  constructor(engine: Engine, opened: EngineClient, options: EngineQueueOptions) {
    this.#engine = engine;
    this.#opened = opened;
    this.#client = opened.client;
    this.#options = options;
  }

  async enqueue(turn: NewTurn): Promise<QueuedTurn> {
    this.#refuseClosed();
    checkTurn(turn);
    const known = await this.get(turn.id);
    if (known === undefined) await this.#admit(turn);
    const kept = known ?? (await this.#require(turn.id));
    if (turnDigest(kept) !== turnDigest(turn)) throw writeConflict(turn.id);
    return kept;
  }

  async get(id: string): Promise<QueuedTurn | undefined> {
    const [row] = await this.#rows({ workflowIDs: [id] });
    return row && turnOf(row);
  }

  async list({ states, realm, limit = 100, offset = 0 }: TurnFilter = {}): Promise<readonly QueuedTurn[]> {
    const status = states?.flatMap((state) => STATUSES[state]);
    const filter = {
      ...(status && { status }),
      ...(realm !== undefined && { queueName: queueOf(realm) }),
    };
    const turns = (await this.#rows({ ...filter, limit: Math.min(limit, PAGE), offset })).map(turnOf);
    return turns.filter(({ state }) => states === undefined || states.includes(state));
  }

  async idsBySession(states?: readonly TurnState[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const turns: Pick<QueuedTurn, "id" | "sessionId">[] = [];
    const status = states?.flatMap((state) => STATUSES[state]);
    const light = { loadInput: false, loadOutput: false, limit: PAGE, ...(status && { status }) };
    for (let offset = 0; ; offset += PAGE) {
      const rows = await this.#rows({ ...light, offset });
      for (const { workflowID: id, queuePartitionKey: sessionId = "" } of rows) turns.push({ id, sessionId });
      if (rows.length < PAGE) return groupIds(turns);
    }
  }

  async counts(): Promise<readonly RealmCounts[]> {
    const status = [...STATUSES.waiting, ...STATUSES.running, ...STATUSES.dead];
    const rows = await this.#rows({ status, limit: MOST_COUNTED });
    return countsOf(rows.map(turnOf), await askEngine(() => realmLimits(this.#client)));
  }

  async cancel(id: string): Promise<boolean> {
    const { state } = await this.#require(id);
    if (state !== "waiting") return false;
    await askEngine(() => this.#client.cancelWorkflow(id));
    // A worker may have claimed it meanwhile; its run is then to be cancelled as any other.
    const [row] = await this.#rows({ workflowIDs: [id] });
    return row?.dequeuedAt === undefined;
  }

  async drop(id: string): Promise<void> {
    const turn = await this.#require(id);
    if (!isOver(turn)) throw wrongState(id, turn.state, "over");
    await askEngine(() => this.#client.deleteWorkflow(id));
    if (turn.images !== undefined) await this.#options.images?.release(id);
  }

  async ended(id: string, signal: AbortSignal): Promise<QueuedTurn> {
    for (;;) {
      signal.throwIfAborted();
      const turn = await this.#require(id);
      if (isOver(turn)) return turn;
      await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  limitRealm(realm: string, limit: number | undefined): Promise<void> {
    return askEngine(() => setRealmLimit(this.#client, realm, limit));
  }

  async serve(worker: QueueWorker): Promise<Serving> {
    this.#refuseClosed();
    const engine = this.#engine;
    if (this.#serving !== undefined || engine.DBOS.isInitialized()) throw alreadyServed();
    const serving = new EngineServing({ engine, ...this.#opened, worker, options: this.#options });
    this.#serving = serving;
    await askEngine(() => serving.start());
    return {
      drain: async (ms) => {
        const left = await serving.drain(ms);
        this.#serving = undefined;
        return left;
      },
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#serving?.drain(0);
    this.#serving = undefined;
    await this.#opened.close();
  }

  async #admit(turn: NewTurn): Promise<void> {
    const { id, realm, sessionId, images: shown = [] } = turn;
    const { maxWaiting = MAX_WAITING, images } = this.#options;
    const queueName = queueOf(realm);
    // The last one that there may be, and no other row.
    const last = { limit: 1, offset: maxWaiting - 1, loadInput: false };
    const [full] = await this.#rows({ queueName, status: [...STATUSES.waiting], ...last });
    if (full !== undefined) throw queueFull(realm, maxWaiting, maxWaiting);
    const digests = shown.map(({ digest }) => digest);
    if (digests.length > 0) await images?.hold(id, digests);
    await askEngine(async () => {
      await registerRealm(this.#client, realm);
      const place = { queueName, queuePartitionKey: sessionId, appVersion: versionOf(turn), ...markOf(turn) };
      await this.#client
        .enqueue({ workflowName: WORKFLOW, workflowID: id, ...place }, turn)
        .catch((error: unknown) => {
          // Somebody who queued the same turn at the same moment was first.
          if (!(error instanceof this.#engine.Error.DBOSQueueDuplicatedError)) throw error;
        });
    });
  }

  #rows(filter: GetWorkflowsInput): Promise<WorkflowStatus[]> {
    return askEngine(() => listTurns(this.#client, filter));
  }

  async #require(id: string): Promise<QueuedTurn> {
    const turn = await this.get(id);
    if (turn === undefined) throw unknownTurn(id);
    return turn;
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw queueClosed();
  }
}

/** Turns beyond which no more are counted. */
const MOST_COUNTED = 10_000;
