import type { Clock } from "@basis/core";

/** Unless somebody waits for it, a list is read anew at most this often. */
const PAUSE_MS = 1_000;

/** Reads a list anew when it has changed: one reading after the other, however often that is said. */
export class ListRefresh {
  readonly #read: () => Promise<void>;
  readonly #clock: Clock;
  #isWanted = false;
  #isPausing = false;
  #reading: Promise<void> | undefined;

  constructor(read: () => Promise<void>, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  /** The list has changed. */
  ask(): void {
    this.#isWanted = true;
    if (!this.#isPausing && this.#reading === undefined) void this.#start();
  }

  /** Resolves when every change that was told until now has been read. */
  async settle(): Promise<void> {
    await this.#reading;
    if (this.#isWanted) await (this.#reading ?? this.#start());
  }

  #start(): Promise<void> {
    this.#isWanted = false;
    this.#reading = this.#read().finally(() => {
      this.#reading = undefined;
      this.#isPausing = true;
      this.#clock.alarm(PAUSE_MS, () => {
        this.#isPausing = false;
        if (this.#isWanted && this.#reading === undefined) void this.#start();
      });
    });
    return this.#reading;
  }
}
