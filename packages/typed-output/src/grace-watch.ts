import type { Clock } from "@basis/core";

interface Waiting {
  readonly dueMs: number;
  readonly giveUp: () => void;
}

/**
 * Gives up on hosts that do not return. All runs on one clock share one alarm, which is left to ring when they are over:
 * an alarm for each would cost every run a timer that almost none needs.
 */
class GraceWatch {
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();
  #ringsAtMs = Infinity;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(graceMs: number, giveUp: () => void): () => void {
    const entry = { dueMs: this.#clock.monotonicMs() + graceMs, giveUp };
    this.#waiting.add(entry);
    if (entry.dueMs < this.#ringsAtMs) this.#ringAt(entry.dueMs);
    return () => this.#waiting.delete(entry);
  }

  #ringAt(atMs: number): void {
    this.#cancel?.();
    this.#ringsAtMs = atMs;
    const delayMs = Math.max(0, atMs - this.#clock.monotonicMs());
    this.#cancel = this.#clock.alarm(delayMs, () => this.#ring(atMs));
  }

  /** A timer may ring a little early: what was due at the time it was set for is due. */
  #ring(atMs: number): void {
    const nowMs = Math.max(atMs, this.#clock.monotonicMs());
    this.#ringsAtMs = Infinity;
    let nextMs = Infinity;
    for (const entry of this.#waiting) {
      if (entry.dueMs > nowMs) {
        nextMs = Math.min(nextMs, entry.dueMs);
        continue;
      }
      this.#waiting.delete(entry);
      entry.giveUp();
    }
    if (nextMs < this.#ringsAtMs) this.#ringAt(nextMs);
  }
}

const watches = new WeakMap<Clock, GraceWatch>();

/** Calls back once when the grace has passed; the answer takes that back. */
export function afterGrace(clock: Clock, graceMs: number, giveUp: () => void): () => void {
  let watch = watches.get(clock);
  if (!watch) {
    watch = new GraceWatch(clock);
    watches.set(clock, watch);
  }
  return watch.add(graceMs, giveUp);
}
