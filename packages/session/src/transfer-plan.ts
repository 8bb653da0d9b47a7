import { newId } from "@basis/core";
import type { Lease } from "./lease.ts";
import { checkFence, planAcquire, planRelease, planRenew, type LeaseStep } from "./lease-rules.ts";
import type { MemberRecord } from "./member.ts";
import { checkCount, checkName, invalidRequest } from "./request-checks.ts";
import { blankSession, seatOf } from "./session-plan.ts";
import type { SessionRecord } from "./session-record.ts";
import { sessionUnavailable } from "./session-unavailable.ts";
import type { ImportedSession, TransferRow } from "./transfer.ts";

const OWNER = "import";
const TTL_MS = 3_600_000;
const MAX_ROWS = 1000;

/** Refuses to show a session that is not there yet or no more. @throws SessionError `session_unavailable`. */
export function checkOutlined(session: SessionRecord): void {
  if (session.state === "pending" || session.state === "tombstone") throw sessionUnavailable(session);
}

/** A new session for rows from outside, pending, with its lease. Pure but for the id. */
export function planBeginImport(now: number): LeaseStep {
  const blank = blankSession(newId(now), now);
  const { session, lease } = planAcquire({ ...blank, state: "ready" }, { owner: OWNER, ttlMs: TTL_MS }, now);
  return { session: Object.freeze({ ...session, state: "pending" }), lease };
}

/** True for an import that nobody goes on with. A pending fork has no lease. */
export function isLeftImport(session: SessionRecord, now: number): boolean {
  const { owner, expiresAt } = session.lease;
  return session.state === "pending" && owner === OWNER && expiresAt !== null && expiresAt <= now;
}

/** The record with more rows staged. Pure. @throws SessionError `stale_fence`, `invalid_request`. */
export function planStage(
  session: SessionRecord,
  stage: { readonly lease: Lease; readonly rows: readonly TransferRow[]; readonly now: number },
): SessionRecord {
  const { rows, now } = stage;
  checkImport(session, stage.lease);
  if (rows.length === 0 || rows.length > MAX_ROWS) throw invalidRequest("rows", `must be 1 to ${MAX_ROWS}`);
  for (const [index, { row }] of rows.entries()) {
    const seq = session.nextSeq + index;
    if (row.writer === session.id && row.seq === seq && row.position === seq) continue;
    throw invalidRequest("rows", `must go on at ${session.nextSeq} of session ${session.id}`);
  }
  const nextSeq = session.nextSeq + rows.length;
  const renewed = planRenew(session, stage.lease, { now, ttlMs: TTL_MS }).session;
  return Object.freeze({
    ...renewed,
    nextSeq,
    len: nextSeq,
    headDigest: rows.at(-1)!.row.digest,
    updatedAt: now,
  });
}

/** The session that an import ends with, and its member. Pure. @throws SessionError `stale_fence`, `invalid_request`. */
export function planFinishImport(
  session: SessionRecord,
  finish: { readonly lease: Lease; readonly contents: ImportedSession; readonly now: number },
): { readonly session: SessionRecord; readonly member: MemberRecord } {
  const { contents, now } = finish;
  checkImport(session, finish.lease);
  const { len, headDigest, rev, settledLen } = contents.session;
  if (len !== session.len || headDigest !== session.headDigest) {
    throw invalidRequest("session", `must come to the ${session.len} rows that were staged`);
  }
  checkCount("session.rev", rev);
  if (checkCount("session.settledLen", settledLen) > len)
    throw invalidRequest("session.settledLen", "is beyond the end");
  const member = checkName("member", contents.member);
  const role = checkName("role", contents.role);
  const seat = seatOf({ member, role, labels: contents.labels, sessionId: session.id, now });
  const { openCalls, requestHead, usage } = contents.session;
  const record: SessionRecord = Object.freeze({
    ...session,
    state: "ready",
    binding: Object.freeze({ member }),
    lease: Object.freeze({ epoch: session.lease.epoch, owner: null, expiresAt: null }),
    settledLen,
    rev,
    requestHead,
    openCalls: Object.freeze([...openCalls]),
    usage: Object.freeze({
      own: Object.freeze({ ...usage.own }),
      inherited: Object.freeze({ ...usage.inherited }),
    }),
    updatedAt: now,
  });
  return { session: record, member: seat };
}

/** The record of an import that was given up; undefined when the lease isn't the one that holds it. Pure. */
export function planDropImport(session: SessionRecord, lease: Lease, now: number): SessionRecord | undefined {
  const released = session.state === "pending" ? planRelease(session, lease) : undefined;
  return released === undefined ? undefined : leftBehind(released, now);
}

/** The record of an import that nobody goes on with. Pure. */
export function leftBehind(session: SessionRecord, now: number): SessionRecord {
  const lease = Object.freeze({ epoch: session.lease.epoch + 1, owner: null, expiresAt: null });
  return Object.freeze({ ...session, state: "tombstone", lease, updatedAt: now });
}

function checkImport(session: SessionRecord, lease: Lease): void {
  checkFence(session, lease);
  if (session.state !== "pending") throw sessionUnavailable(session);
}
