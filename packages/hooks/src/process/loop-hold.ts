/** The longest delay a timer can hold. */
const FOREVER_MS = 2_147_483_647;

/** Keeps the event loop alive while something that does not is waited for. */
export class LoopHold {
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Holds the loop until the promise has settled, either way. */
  until(promise: Promise<unknown>): void {
    if (this.#count === 0) this.#timer = setInterval(() => undefined, FOREVER_MS);
    this.#count += 1;
    const release = (): void => {
      this.#count -= 1;
      if (this.#count === 0) clearInterval(this.#timer);
    };
    void promise.then(release, release);
  }
}
