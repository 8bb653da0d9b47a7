import { isGone } from "../../agent/acquire-lease.ts";
import { differingParts, type QueueWorker } from "../turn-queue.ts";
import type { ClaimedTurn, TurnTable } from "./turn-table.ts";

/** What a sweep works with. */
export interface LocalSweepParts {
  readonly table: TurnTable;
  readonly worker: QueueWorker;
  readonly sweepMs: number;
  readonly graceMs: number;
}

/** Waiting turns of which is told at once that this worker may not run them. */
const MISFITS_AT_ONCE = 20;

/**
 * Looks after turns that other processes hold, and those that this one may not run. A turn whose session's lease has run
 * out waits again; so does one whose session nobody holds, at once when its process is gone, else after a while.
 */
export class LocalSweep {
  readonly #parts: LocalSweepParts;
  readonly #tell: (error: unknown) => void;
  /** Claims whose session nobody holds, and since when that was seen. */
  readonly #free = new Map<number, number>();
  readonly #misfits = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: LocalSweepParts, tell: (error: unknown) => void) {
    this.#parts = parts;
    this.#tell = tell;
  }

  start(): void {
    this.#looking = this.#look()
      .catch(this.#tell)
      .finally(() => {
        // Workers that began together do not look together.
        const ms = this.#parts.sweepMs * (0.75 + Math.random() / 2);
        if (!this.#isStopped) this.#timer = setTimeout(() => this.start(), ms);
      });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { table, worker } = this.#parts;
    const claimed = await table.claimed();
    const known = new Set(claimed.map(({ claim }) => claim));
    for (const claim of this.#free.keys()) if (!known.has(claim)) this.#free.delete(claim);
    for (const turn of claimed) {
      if (this.#isStopped) return;
      if (await this.#isAbandoned(turn)) await table.settle(turn, "back");
    }
    const foreign = await table.foreign(worker.fit.digest);
    for (const id of this.#misfits) if (!foreign.includes(id)) this.#misfits.delete(id);
    await this.#tellMisfits(foreign.filter((id) => !this.#misfits.has(id)).slice(0, MISFITS_AT_ONCE));
  }

  async #isAbandoned({ sessionId, worker, claim }: ClaimedTurn): Promise<boolean> {
    const hold = await this.#parts.worker.holdOf(sessionId);
    if (hold === "held") this.#free.delete(claim);
    if (hold !== "free") return hold === "expired";
    if (isGone(worker)) return true;
    const now = performance.now();
    const since = this.#free.get(claim) ?? now;
    this.#free.set(claim, since);
    return now - since >= this.#parts.graceMs;
  }

  async #tellMisfits(ids: readonly string[]): Promise<void> {
    const { table, worker } = this.#parts;
    for (const id of ids) {
      const turn = await table.get(id);
      if (turn === undefined) continue;
      this.#misfits.add(id);
      worker.misfit(turn, differingParts(turn.fit.parts, worker.fit.parts));
    }
  }
}
