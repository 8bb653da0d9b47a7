/** Time as a port, so that tests need not wait. Used by every package that has a deadline. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a clock that never goes back. */
  monotonicMs(): number;
  /**
   * Calls `ring` once after `delayMs`, and never for a delay beyond 24 days, which no timer can hold; the answer cancels it.
   * A waiting alarm does not keep a process alive.
   */
  alarm(delayMs: number, ring: () => void): () => void;
}

/** The longest delay a timer can hold: 2^31 - 1 ms. A longer one would ring at once. */
const MAX_DELAY_MS = 2_147_483_647;

/** The machine's clock. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  alarm(delayMs: number, ring: () => void) {
    if (delayMs > MAX_DELAY_MS) return () => undefined;
    const timer: unknown = setTimeout(ring, delayMs);
    (timer as { unref?: () => void }).unref?.();
    return () => clearTimeout(timer as never);
  },
});
