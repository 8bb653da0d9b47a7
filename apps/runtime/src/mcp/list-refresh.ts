import type { Clock } from "@basis/core";

/** A list is read anew at most this often. */
const PAUSE_MS = 1_000;

/** Reads a list anew when it has changed; however often that is said, one reading after the other and with a pause. */
export class ListRefresh {
  readonly #read: () => Promise<void>;
  readonly #clock: Clock;
  #isWanted = false;
  #isBusy = false;

  constructor(read: () => Promise<void>, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  ask(): void {
    this.#isWanted = true;
    if (!this.#isBusy) void this.#work();
  }

  /** The pause holds nothing up: who never asks again is never read again. */
  async #work(): Promise<void> {
    this.#isBusy = true;
    this.#isWanted = false;
    await this.#read();
    this.#clock.alarm(PAUSE_MS, () => {
      this.#isBusy = false;
      if (this.#isWanted) void this.#work();
    });
  }
}
