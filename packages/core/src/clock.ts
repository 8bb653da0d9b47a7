/** Time as a port, so that tests need not wait. Used by every package that has a deadline. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a clock that never goes back. */
  monotonicMs(): number;
  /** Calls `ring` once after `delayMs`; the answer cancels it. A waiting alarm does not keep a process alive. */
  alarm(delayMs: number, ring: () => void): () => void;
}

/** The machine's clock. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  alarm(delayMs: number, ring: () => void) {
    const timer: unknown = setTimeout(ring, delayMs);
    (timer as { unref?: () => void }).unref?.();
    return () => clearTimeout(timer as never);
  },
});
