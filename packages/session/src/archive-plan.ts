import type { SessionRecord } from "./session-record.ts";

const OWNER = "archive";

/** A session while its rows are put into another store: nobody's, and no import or fork either. */
export function stagedRecord(session: SessionRecord): SessionRecord {
  const lease = Object.freeze({ epoch: session.lease.epoch, owner: OWNER, expiresAt: null });
  return Object.freeze({ ...session, state: "pending", binding: null, lease });
}

/** True for such a session. */
export function isStaged({ state, lease }: SessionRecord): boolean {
  return state === "pending" && lease.owner === OWNER;
}

/** A session as another store holds it: without the lease, whose holder is elsewhere. */
export function settledRecord(session: SessionRecord): SessionRecord {
  const lease = Object.freeze({ epoch: session.lease.epoch, owner: null, expiresAt: null });
  return Object.freeze({ ...session, lease });
}
