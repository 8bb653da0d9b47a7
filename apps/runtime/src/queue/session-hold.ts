import type { SessionRecord } from "@mobkit/session";
import type { SessionHold } from "./turn-queue.ts";

/** When a lease is looked at. */
export interface HoldMoment {
  /** Milliseconds since the epoch, by the clock that sets leases: the store's. */
  readonly now: number;
  /** How much later than its lease a frozen worker may still be acting (S24). */
  readonly marginMs: number;
}

/** Whether somebody works under a session's lease. */
export function holdAt(
  { owner, expiresAt }: SessionRecord["lease"],
  { now, marginMs }: HoldMoment,
): SessionHold {
  if (owner === null) return "free";
  return now >= (expiresAt ?? 0) + marginMs ? "expired" : "held";
}
