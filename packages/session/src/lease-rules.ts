import type { Lease, LeaseRequest } from "./lease.ts";
import { leasedRecord } from "./next-record.ts";
import { checkName, checkTtl } from "./request-checks.ts";
import { SessionError } from "./session-error.ts";
import type { SessionRecord } from "./session-record.ts";
import { sessionUnavailable } from "./session-unavailable.ts";

/** A lease step: the record to store and the lease to hand out. */
export interface LeaseStep {
  readonly session: SessionRecord;
  readonly lease: Lease;
}

/** Takes a free or expired lease. Pure. @throws SessionError `session_unavailable`, `lease_held`, `invalid_request`. */
export function planAcquire(session: SessionRecord, request: LeaseRequest, now: number): LeaseStep {
  const owner = checkName("owner", request.owner);
  const ttlMs = checkTtl(request.ttlMs);
  if (session.state !== "ready") throw sessionUnavailable(session);
  const held = session.lease;
  if (held.owner !== null && held.expiresAt !== null && held.expiresAt > now) {
    throw new SessionError("lease_held", `session ${session.id} is held by ${held.owner}`, {
      details: { sessionId: session.id, owner: held.owner, expiresAt: held.expiresAt },
    });
  }
  return stepOf(session, { owner, epoch: held.epoch + 1, expiresAt: now + ttlMs, ttlMs });
}

/** Moves a lease's expiry. Pure. @throws SessionError `stale_fence`, `invalid_request`. */
export function planRenew(session: SessionRecord, lease: Lease, moment: LeaseMoment): LeaseStep {
  const ttlMs = checkTtl(moment.ttlMs ?? lease.ttlMs);
  checkFence(session, lease);
  const { owner, epoch } = lease;
  return stepOf(session, { owner, epoch, expiresAt: moment.now + ttlMs, ttlMs });
}

/** When a renewal happens and for how long. */
export interface LeaseMoment {
  readonly now: number;
  /** Default: the lease's own. */
  readonly ttlMs?: number | undefined;
}

/** The record without its lease; undefined when the lease isn't the one that holds it. Pure. */
export function planRelease(session: SessionRecord, lease: Lease): SessionRecord | undefined {
  if (!holds(session, lease)) return undefined;
  const freed = Object.freeze({ epoch: session.lease.epoch, owner: null, expiresAt: null });
  return leasedRecord(session, freed);
}

/** Refuses a lease that is not the session's any more. @throws SessionError `stale_fence`. */
export function checkFence(session: SessionRecord, lease: Lease): void {
  if (holds(session, lease)) return;
  throw new SessionError(
    "stale_fence",
    `the lease on session ${session.id} is of epoch ${lease.epoch}; the session is at ${session.lease.epoch}`,
    { details: { sessionId: session.id, epoch: lease.epoch, current: session.lease.epoch } },
  );
}

function holds(session: SessionRecord, lease: Lease): boolean {
  return (
    lease.sessionId === session.id &&
    lease.epoch === session.lease.epoch &&
    lease.owner === session.lease.owner
  );
}

function stepOf(session: SessionRecord, terms: Omit<Lease, "sessionId">): LeaseStep {
  const { owner, epoch, expiresAt, ttlMs } = terms;
  return {
    session: leasedRecord(session, Object.freeze({ epoch, owner, expiresAt })),
    lease: Object.freeze({ sessionId: session.id, owner, epoch, expiresAt, ttlMs }),
  };
}
