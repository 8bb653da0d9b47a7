import type { SessionRecord } from "@mobkit/session";
import type { SessionHold } from "./turn-queue.ts";

/** When a lease is looked at. */
export interface HoldMoment {
  /** Milliseconds since the epoch, by the clock that sets leases: the store's. */
  readonly now: number;
  /** How much later than its lease a frozen worker may still be acting (S24). */
  readonly marginMs: number;
  /** When the turn that is looked after was claimed, by the same clock. */
  readonly claimedAt?: number | undefined;
}

/**
 * Whether somebody works under a session's lease. One that ran out before the turn was claimed is not the claimer's, who has not
 * taken its own yet: as far as that turn goes, the session is free.
 */
export function holdAt(
  { owner, expiresAt }: SessionRecord["lease"],
  { now, marginMs, claimedAt = -Infinity }: HoldMoment,
): SessionHold {
  const until = expiresAt ?? 0;
  if (owner === null) return "free";
  if (now < until + marginMs) return "held";
  return until <= claimedAt ? "free" : "expired";
}
