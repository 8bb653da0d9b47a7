import type { Clock } from "@basis/core";
import { HandBackError } from "../../agent/turn/run-end.ts";
import type { QueueWorker, TurnEnding } from "../turn-queue.ts";
import { LocalSweep } from "./local-sweep.ts";
import type { OwnClaim, TurnTable } from "./turn-table.ts";

/** How often a worker looks after what others hold. */
export interface LocalServingTimes {
  readonly sweepMs: number;
  /** How long a turn may be claimed, by a process that lives, without anybody's lease on its session. */
  readonly graceMs: number;
}

/** What a worker is served with. */
export interface LocalServingParts extends LocalServingTimes {
  readonly table: TurnTable;
  readonly worker: QueueWorker;
  readonly report?: ((text: string) => void) | undefined;
}

interface Running {
  readonly id: string;
  readonly ended: Promise<void>;
  readonly ending: AbortController;
}

/** How often a worker looks for turns that other processes queued. */
const LOOK_EVERY_MS = 40;

/** Runs turns of a queue that lies in this machine's store. */
export class LocalServing {
  readonly #parts: LocalServingParts;
  /** By their claim; after a freeze a turn may have two of them here. */
  readonly #running = new Map<number, Running>();
  readonly #sweep: LocalSweep;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isAsked = false;
  #isDraining = false;
  #told = "";

  constructor(parts: LocalServingParts) {
    this.#parts = parts;
    this.#sweep = new LocalSweep(parts, (error) => this.#tell(error));
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS);
    this.look();
    this.#sweep.start();
  }

  /** Begins what may begin. */
  look(): void {
    this.#isAsked = true;
    this.#looking ??= this.#fill().finally(() => (this.#looking = undefined));
  }

  /** Claims nothing more; answers the turns that had to be handed back. */
  async drain(ms: number, clock: Clock): Promise<readonly string[]> {
    this.#isDraining = true;
    clearInterval(this.#timer);
    await Promise.all([this.#looking, this.#sweep.stop()]);
    const all = Promise.all([...this.#running.values()].map(({ ended }) => ended));
    const late = new Promise<void>((resolve) => {
      const stop = clock.alarm(ms, resolve);
      void all.finally(stop);
    });
    await Promise.race([all, late]);
    const left = [...this.#running];
    for (const [, { ending }] of left) ending.abort(new HandBackError());
    await Promise.all(left.map(([, { ended }]) => ended));
    const states = await Promise.all(left.map(([, { id }]) => this.#parts.table.get(id)));
    return states.flatMap((turn) => (turn?.state === "waiting" ? [turn.id] : []));
  }

  async #fill(): Promise<void> {
    const { table, worker } = this.#parts;
    try {
      while (this.#isAsked && !this.#isDraining) {
        this.#isAsked = false;
        if (this.#running.size >= worker.concurrency) return;
        const claimed = await table.claim(worker);
        if (claimed === undefined) continue;
        this.#begin(claimed);
        this.#isAsked = true;
      }
    } catch (error) {
      this.#tell(error);
    }
  }

  #begin(claimed: OwnClaim): void {
    const ending = new AbortController();
    const ended = this.#run(claimed, ending.signal).finally(() => {
      this.#running.delete(claimed.claim);
      if (!this.#isDraining) this.look();
    });
    this.#running.set(claimed.claim, { id: claimed.id, ended, ending });
  }

  /** Never rejects: a turn whose end cannot be written is found by a sweep, and its log says that it is over. */
  async #run(claimed: OwnClaim, signal: AbortSignal): Promise<void> {
    const { table } = this.#parts;
    try {
      await table.settle(claimed, await this.#ending(claimed, signal));
    } catch (error) {
      this.#tell(error);
    }
  }

  async #ending(claimed: OwnClaim, signal: AbortSignal): Promise<TurnEnding | "back"> {
    const { table, worker } = this.#parts;
    try {
      return await worker.run({ turn: claimed.turn, signal, standing: () => table.standing(claimed) });
    } catch (error) {
      if (error instanceof HandBackError) return "back";
      return { outcome: "failed", reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /** What the store refuses is tried again at the next look, and told once. */
  #tell(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    if (text !== this.#told) this.#parts.report?.(`queue: ${text}`);
    this.#told = text;
  }
}
