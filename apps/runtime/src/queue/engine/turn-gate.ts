/** Lets a number of turns run at once; the others wait, each realm in its turn. */
export class TurnGate {
  readonly #room: number;
  readonly #waiting = new Map<string, (() => void)[]>();
  #running = 0;

  constructor(room: number) {
    this.#room = room;
  }

  /** Until there is room; the answer gives it back. Rejects with the signal's reason. */
  async enter(realm: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#running < this.#room) this.#running += 1;
    else await this.#wait(realm, signal);
    let isIn = true;
    return () => {
      if (isIn) this.#leave();
      isIn = false;
    };
  }

  #wait(realm: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = this.#waiting.get(realm) ?? [];
      this.#waiting.delete(realm);
      this.#waiting.set(realm, line);
      const enter = (): void => {
        signal.removeEventListener("abort", give);
        resolve();
      };
      const give = (): void => {
        const place = line.indexOf(enter);
        if (place !== -1) line.splice(place, 1);
        reject(signal.reason as Error);
      };
      line.push(enter);
      signal.addEventListener("abort", give, { once: true });
    });
  }

  /** The room goes to the next realm that waits, which then stands behind the others. */
  #leave(): void {
    for (const [realm, line] of this.#waiting) {
      const next = line.shift();
      this.#waiting.delete(realm);
      if (line.length > 0) this.#waiting.set(realm, line);
      if (next !== undefined) return next();
    }
    this.#running -= 1;
  }
}
