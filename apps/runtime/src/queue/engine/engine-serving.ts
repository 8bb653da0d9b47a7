import type { WorkflowStatus } from "@dbos-inc/dbos-sdk";
import type { NewTurn } from "../queued-turn.ts";
import { HandBackError } from "../../agent/turn/run-end.ts";
import type { ClaimStanding, QueueWorker, TurnEnding } from "../turn-queue.ts";
import { ClockWatch } from "./clock-watch.ts";
import { APPLICATION, findTurn, versionOf, wasPutBack, WORKFLOW } from "./engine-turns.ts";
import type { Engine } from "./load-engine.ts";
import { makeTables, type EngineClient, type EnginePlace } from "./open-client.ts";
import { registerRealm, setWorkerConcurrency } from "./realm-queues.ts";
import { TurnGate } from "./turn-gate.ts";
import { TurnSweep } from "./turn-sweep.ts";

/** How often a worker looks after what others hold. */
export interface ServingTimes {
  /** Between two looks. */
  readonly sweepMs: number;
  /** How long a turn may be claimed without anybody's lease on its session. */
  readonly graceMs: number;
}

/** What a worker is served with. */
export interface ServingParts extends Omit<EngineClient, "close"> {
  readonly engine: Engine;
  readonly worker: QueueWorker;
  readonly options: Partial<ServingTimes> & EnginePlace;
}

/** One claim's work on a turn; after a freeze a turn may have two of them here. */
interface Running {
  readonly id: string;
  readonly ending: AbortController;
  /** Settles when the worker has let go of the turn. */
  readonly released: Promise<readonly PromiseSettledResult<TurnEnding>[]>;
  /** Which claim of the turn it is that runs here; the same worker may have been given it again. */
  readonly claim: Claim;
}

interface Claim {
  at?: number | undefined;
}

/** Runs the turns that the engine hands to this process. The engine has one of these in a process. */
export class EngineServing {
  readonly #parts: ServingParts;
  readonly #gate: TurnGate;
  readonly #running = new Set<Running>();
  readonly #sweep: TurnSweep;
  readonly #clock = new ClockWatch();
  #minding: NodeJS.Timeout | undefined;
  #waking: Promise<void> | undefined;
  #isOver = false;

  constructor(parts: ServingParts) {
    const { worker, client, talk, options } = parts;
    this.#parts = parts;
    this.#gate = new TurnGate(worker.concurrency);
    this.#sweep = new TurnSweep({
      client,
      worker,
      answered: () => talk.answered(),
      sweepMs: options.sweepMs ?? 3_000,
      graceMs: options.graceMs ?? 10_000,
      patienceMs: options.patienceMs ?? 10_000,
    });
  }

  async start(): Promise<void> {
    const { engine, client, worker } = this.#parts;
    await registerRealm(client, "default");
    await setWorkerConcurrency(client, worker.concurrency);
    await this.#launch().catch(async (error: unknown) => {
      if (!isBehind(error)) throw error;
      await engine.DBOS.shutdown({ deregister: true });
      await makeTables(engine, this.#parts.options);
      await this.#launch();
    });
    this.#sweep.start();
    this.#minding = setInterval(() => this.#mindClock(), CLOCK_LOOK_MS);
  }

  /**
   * The engine reckons its pauses by the machine's clock: once that was set back, it would look for turns when it has caught up.
   * It is started anew, as soon as nothing runs.
   */
  #mindClock(): void {
    if (!this.#clock.wasSetBack() || this.#running.size > 0) return;
    this.#waking ??= this.#wake().finally(() => (this.#waking = undefined));
  }

  async #wake(): Promise<void> {
    try {
      await this.#parts.engine.DBOS.shutdown({ deregister: true });
      await this.#launch();
      this.#clock.forget();
      this.#parts.options.report?.("queue: this machine's clock was set back; turns are looked for again");
    } catch {
      // the next look tries again
    }
  }

  /** The engine looks only: tables that are behind its release are brought up to date apart. */
  async #launch(): Promise<void> {
    const { engine, pool, talk, worker, options } = this.#parts;
    const { DBOS } = engine;
    DBOS.setConfig({
      name: APPLICATION,
      systemDatabaseUrl: options.url,
      systemDatabasePool: pool,
      systemDatabaseSchemaName: options.schema,
      applicationVersion: versionOf(worker),
      executorID: worker.name,
      runMigrations: false,
      useListenNotify: false, // of messages between workflows, of which there are none
      observabilityQueryTimeoutMs: 0, // the pool's
      logger: talk.logger,
    });
    DBOS.registerWorkflow((turn: NewTurn): Promise<TurnEnding> => this.#run(turn), {
      name: WORKFLOW,
      maxRecoveryAttempts: MAX_CLAIMS,
    });
    await DBOS.launch();
    // Opens the connections that the engine's looks will need.
    await Promise.all([DBOS.listQueues(), DBOS.listQueues(), DBOS.listQueues()]);
  }

  /**
   * The engine claims nothing more and waits for what runs. What still runs then is let go of and put back: first the
   * session's lease, then the turn. Answers the turns that were put back.
   */
  async drain(ms: number): Promise<readonly string[]> {
    clearInterval(this.#minding);
    await Promise.all([this.#waking, this.#sweep.stop()]);
    const { DBOS } = this.#parts.engine;
    await DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: ms });
    this.#isOver = true;
    const left = [...this.#running];
    for (const { ending } of left) ending.abort(new HandBackError());
    const back = await Promise.all(
      left.map(async (running) => ((await this.#putBack(running)) ? [running.id] : [])),
    );
    return back.flat();
  }

  /** What cannot be put back is found by another worker's sweep. */
  async #putBack({ id, released, claim }: Running): Promise<boolean> {
    const { client } = this.#parts;
    await released;
    try {
      const row = await findTurn(client, id);
      if (row === undefined || !this.#isOf(claim, row)) return false;
      await client.resumeWorkflow(id, { queueName: row.queueName! });
      return true;
    } catch {
      return false;
    }
  }

  async #run(turn: NewTurn): Promise<TurnEnding> {
    const ending = new AbortController();
    const claim: Claim = {};
    const work = this.#work(turn, { signal: ending.signal, claim });
    const running: Running = { id: turn.id, ending, released: Promise.allSettled([work]), claim };
    this.#running.add(running);
    const [settled] = await running.released;
    // The engine can record nothing any more: the turn goes back to its queue.
    if (this.#isOver) return new Promise(() => undefined);
    this.#running.delete(running);
    const reason: unknown = settled?.status === "rejected" ? settled.reason : undefined;
    if (reason instanceof HandBackError && !reason.isGivenAway) await this.#putBack(running);
    const ended = await work;
    // The engine tells a turn that is dead from one that ended by this alone.
    if (ended.outcome === "failed") throw new Error(ended.reason ?? "the run failed");
    return ended;
  }

  async #work(
    turn: NewTurn,
    { signal, claim }: { readonly signal: AbortSignal; readonly claim: Claim },
  ): Promise<TurnEnding> {
    const leave = await this.#gate.enter(turn.realm, signal);
    try {
      return await this.#parts.worker.run({ turn, signal, standing: () => this.#standing(turn.id, claim) });
    } finally {
      leave();
    }
  }

  async #standing(id: string, claim: Claim): Promise<ClaimStanding> {
    const row = await findTurn(this.#parts.client, id);
    if (row === undefined || !this.#isOf(claim, row)) return "lost";
    claim.at ??= row.dequeuedAt;
    return wasPutBack(row) ? "again" : "first";
  }

  /** True for the row of a turn that stands as this worker claimed it. */
  #isOf({ at }: Claim, { status, executorId, dequeuedAt }: WorkflowStatus): boolean {
    return (
      status === "PENDING" &&
      executorId === this.#parts.worker.name &&
      (at === undefined || at === dequeuedAt)
    );
  }
}

/** How often the machine's clock is compared with the one that never goes back. */
const CLOCK_LOOK_MS = 1_000;

/** The engine's own count of claims begins anew at each takeover; the host counts those by itself. */
const MAX_CLAIMS = 1_000;

/** The engine's tables are of an earlier release of it than the one that starts. */
function isBehind(error: unknown): boolean {
  return error instanceof Error && /is at schema version/.test(error.message);
}
