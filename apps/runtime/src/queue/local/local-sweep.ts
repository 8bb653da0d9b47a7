import { isGone } from "../../agent/transcript/acquire-lease.ts";
import { differingParts, type QueueWorker } from "../turn-queue.ts";
import type { ClaimedTurn, TurnTable } from "./turn-table.ts";

/** What a sweep works with. */
export interface LocalSweepParts {
  readonly table: TurnTable;
  readonly worker: QueueWorker;
  readonly sweepMs: number;
  readonly graceMs: number;
}

/** A claim of another process, by its turn. */
interface SeenClaim {
  readonly claim: number;
  /** When it was seen first, by the clock that sets leases: one that had run out by then is not the claimer's. */
  readonly at: number;
  /** Since when nobody who lives was seen to hold its session. */
  freeSince?: number | undefined;
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
  readonly #seen = new Map<string, SeenClaim>();
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
    const known = new Set(claimed.map(({ id }) => id));
    for (const id of this.#seen.keys()) if (!known.has(id)) this.#seen.delete(id);
    for (const turn of claimed) {
      if (this.#isStopped) return;
      if (await this.#isAbandoned(turn)) await table.settle(turn, "back");
    }
    const foreign = await table.foreign(worker.fit.digest);
    for (const id of this.#misfits) if (!foreign.includes(id)) this.#misfits.delete(id);
    await this.#tellMisfits(foreign.filter((id) => !this.#misfits.has(id)).slice(0, MISFITS_AT_ONCE));
  }

  async #isAbandoned({ id, sessionId, worker, claim }: ClaimedTurn): Promise<boolean> {
    const known = this.#seen.get(id);
    const seen: SeenClaim = known?.claim === claim ? known : { claim, at: Date.now() };
    this.#seen.set(id, seen);
    const hold = await this.#parts.worker.holdOf(sessionId, seen.at);
    const gone = isGone(worker);
    if (hold === "expired" || (hold === "free" && gone)) return true;
    // The lease of a process that is gone lasts no longer than any, whatever became of the clock.
    if (hold === "held" && !gone) {
      seen.freeSince = undefined;
      return false;
    }
    const now = performance.now();
    seen.freeSince ??= now;
    return now - seen.freeSince >= this.#parts.graceMs;
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
