/**
 * A word that is given once, with its reason. It does what an `AbortController` does, and makes a signal only for those
 * who need one: a signal and a listener cost a turn more than most of its steps.
 */
export class Cue {
  /** Made with the first who waits: most cues are never waited for. */
  #waiting: Set<{ readonly react: () => void }> | undefined;
  #given: { readonly reason: unknown } | undefined;
  #controller: AbortController | undefined;

  get aborted(): boolean {
    return this.#given !== undefined;
  }

  get reason(): unknown {
    return this.#given?.reason;
  }

  /** Gives the word; only the first time counts. */
  abort(reason: unknown): void {
    if (this.#given !== undefined) return;
    this.#given = { reason };
    this.#controller?.abort(reason);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) for (const { react } of waiting) react();
  }

  /** Throws the reason once the word is given. */
  throwIfAborted(): void {
    if (this.#given !== undefined) throw this.#given.reason;
  }

  /** Calls back once when the word is given; the answer takes that back. */
  onAbort(react: () => void): () => void {
    const entry = { react };
    (this.#waiting ??= new Set()).add(entry);
    return () => void this.#waiting?.delete(entry);
  }

  /** A signal that aborts with the word, and for its reason. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#given !== undefined) this.#controller.abort(this.#given.reason);
    }
    return this.#controller.signal;
  }
}
