/**
 * What tells of an abort: an `AbortSignal`, or what stands for one and makes it only when somebody waits. It is asked and
 * listened to, and never handed on to where a signal of the platform is needed.
 */
export interface Abortable {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

const watches = new WeakMap<Abortable, AbortWatch>();

/**
 * Calls back once when the signal aborts; the answer takes that back. However many calls share a signal, it carries
 * one listener (Node warns of a leak at eleven), and none while nobody waits. Used by hooks, child-policy and hosts.
 */
export function onAbort(signal: Abortable, react: () => void): () => void {
  let watch = watches.get(signal);
  if (watch === undefined) {
    watch = new AbortWatch(signal);
    watches.set(signal, watch);
  }
  return watch.add(react);
}

/** Everybody who waits for one signal. */
class AbortWatch {
  readonly #signal: Abortable;
  readonly #waiting = new Set<{ readonly react: () => void }>();

  constructor(signal: Abortable) {
    this.#signal = signal;
  }

  add(react: () => void): () => void {
    const entry = { react };
    if (this.#waiting.size === 0) this.#signal.addEventListener("abort", this.#ring, { once: true });
    this.#waiting.add(entry);
    return () => {
      if (!this.#waiting.delete(entry) || this.#waiting.size > 0) return;
      this.#signal.removeEventListener("abort", this.#ring);
    };
  }

  readonly #ring = (): void => {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const { react } of waiting) react();
  };
}
