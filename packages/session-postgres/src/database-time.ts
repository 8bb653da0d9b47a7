import type { Clock } from "@basis/core";

/**
 * The database's time. Leases and claims use the moment that a transaction read; what is only noted (a row's creation)
 * may use the estimate in between, which follows a clock that never jumps. A clock of the caller's stands for both.
 */
export class DatabaseTime {
  readonly #clock: Clock | undefined;
  #offsetMs: number;

  constructor(clock: Clock | undefined, nowMs: number) {
    this.#clock = clock;
    this.#offsetMs = nowMs - performance.now();
  }

  /** False where a clock of the caller's stands for it. */
  get isDatabases(): boolean {
    return this.#clock === undefined;
  }

  /** The moment of a row that was just read. */
  at(nowMs: number): number {
    this.#offsetMs = nowMs - performance.now();
    return this.#clock?.now() ?? nowMs;
  }

  /** About now. */
  estimate(): number {
    return this.#clock?.now() ?? Math.round(performance.now() + this.#offsetMs);
  }
}
