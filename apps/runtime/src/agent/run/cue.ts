import type { Abortable } from "@basis/core";

/** Who hears of a word. */
interface Waiter {
  hear(by: Cue): void;
}

const NOBODY: readonly Waiter[] = [];

/**
 * A word that is given once, with its reason. It does what an `AbortController` does, and makes a signal only for those
 * who need one: a signal and a listener cost a turn more than most of its steps.
 */
export class Cue implements Abortable, Waiter {
  /** A list of its own for each change: mostly nobody waits, or one, and an empty set takes more than all the rest. */
  #waiting: readonly Waiter[] = NOBODY;
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
    this.#waiting = NOBODY;
    for (const waiter of waiting) waiter.hear(this);
  }

  /** Throws the reason once the word is given. */
  throwIfAborted(): void {
    if (this.#given !== undefined) throw this.#given.reason;
  }

  /** Calls back once when the word is given; the answer takes that back. */
  onAbort(react: () => void): () => void {
    const waiter: Waiter = { hear: react };
    this.#add(waiter);
    return () => this.leave(waiter);
  }

  /** Gives the word to another cue, too, and for the same reason: until that leaves. */
  lead(other: Cue): void {
    if (this.#given === undefined) this.#add(other);
    else other.hear(this);
  }

  hear(by: Cue): void {
    this.abort(by.reason);
  }

  #add(waiter: Waiter): void {
    this.#waiting = this.#waiting.length === 0 ? [waiter] : [...this.#waiting, waiter];
  }

  leave(waiter: Waiter): void {
    const [first] = this.#waiting;
    if (this.#waiting.length === 1 && first === waiter) this.#waiting = NOBODY;
    else this.#waiting = this.#waiting.filter((other) => other !== waiter);
  }

  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void {
    this.signal.addEventListener(type, listener, options);
  }

  removeEventListener(type: "abort", listener: () => void): void {
    this.#controller?.signal.removeEventListener(type, listener);
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
