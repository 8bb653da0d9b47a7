import type { Clock } from "@basis/core";

const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 5000;

/** How long a program that fails is left alone: 50 ms after the first failure, twice as long after each, at most 5 s. */
export class RestartDelay {
  readonly #clock: Clock;
  #failures = 0;
  #notBeforeMs = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  get leftMs(): number {
    return this.#failures === 0 ? 0 : this.#notBeforeMs - this.#clock.monotonicMs();
  }

  note(): void {
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, MAX_DELAY_MS);
    this.#failures += 1;
    this.#notBeforeMs = this.#clock.monotonicMs() + delayMs;
  }

  reset(): void {
    this.#failures = 0;
  }

  /** Acts once the delay is over: at once when there is none. Does nothing while an earlier act waits. */
  afterwards(act: () => void): void {
    if (this.#cancel !== undefined) return;
    const { leftMs } = this;
    if (leftMs <= 0) {
      act();
      return;
    }
    this.#cancel = this.#clock.alarm(leftMs, () => {
      this.#cancel = undefined;
      act();
    });
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
