import type { Clock } from "../clock.ts";

/** A clock that moves only when told to. */
export interface ManualClock extends Clock {
  /** Moves the time on and rings every alarm that falls due, in order. */
  advance(byMs: number): void;
}

/** A clock for tests; it starts at `startMs` (default 2026-01-01T00:00:00Z). */
export function manualClock(startMs: number = Date.UTC(2026, 0, 1)): ManualClock {
  let elapsed = 0;
  const alarms = new Set<{ at: number; ring: () => void }>();
  return {
    now: () => startMs + elapsed,
    monotonicMs: () => elapsed,
    alarm(delayMs, ring) {
      const entry = { at: elapsed + delayMs, ring };
      alarms.add(entry);
      return () => void alarms.delete(entry);
    },
    advance(byMs) {
      const until = elapsed + byMs;
      for (;;) {
        const [next] = [...alarms].filter((entry) => entry.at <= until).toSorted((a, b) => a.at - b.at);
        if (next === undefined) break;
        alarms.delete(next);
        elapsed = Math.max(elapsed, next.at);
        next.ring();
      }
      elapsed = until;
    },
  };
}
