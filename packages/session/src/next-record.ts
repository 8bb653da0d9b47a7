import type { SessionRecord } from "./session-record.ts";

/** What a fenced write can change of a record. */
export type WrittenFields = Pick<
  SessionRecord,
  | "len"
  | "settledLen"
  | "openCalls"
  | "nextSeq"
  | "rev"
  | "headDigest"
  | "runTurn"
  | "queuedInputs"
  | "pendingApprovals"
  | "lease"
  | "requestHead"
  | "usage"
  | "updatedAt"
>;

/**
 * The record after a write, frozen. Field by field and in the order of a new session's: to spread a frozen object costs
 * several times as much, and every write and every lease makes a record.
 */
export function writtenRecord(session: SessionRecord, written: WrittenFields): SessionRecord {
  return Object.freeze({
    id: session.id,
    state: session.state,
    binding: session.binding,
    baseLen: session.baseLen,
    len: written.len,
    settledLen: written.settledLen,
    openCalls: written.openCalls,
    nextSeq: written.nextSeq,
    rev: written.rev,
    headDigest: written.headDigest,
    runTurn: written.runTurn,
    queuedInputs: written.queuedInputs,
    pendingApprovals: written.pendingApprovals,
    lease: written.lease,
    requestHead: written.requestHead,
    usage: written.usage,
    parent: session.parent,
    spawnedBy: session.spawnedBy,
    createdAt: session.createdAt,
    updatedAt: written.updatedAt,
  });
}

/** The record under another lease, frozen. */
export function leasedRecord(session: SessionRecord, lease: SessionRecord["lease"]): SessionRecord {
  return Object.freeze({
    id: session.id,
    state: session.state,
    binding: session.binding,
    baseLen: session.baseLen,
    len: session.len,
    settledLen: session.settledLen,
    openCalls: session.openCalls,
    nextSeq: session.nextSeq,
    rev: session.rev,
    headDigest: session.headDigest,
    runTurn: session.runTurn,
    queuedInputs: session.queuedInputs,
    pendingApprovals: session.pendingApprovals,
    lease,
    requestHead: session.requestHead,
    usage: session.usage,
    parent: session.parent,
    spawnedBy: session.spawnedBy,
    createdAt: session.createdAt,
    updatedAt: session.updatedAt,
  });
}

/** The record of a fork's child that takes its seat, frozen. */
export function seatedRecord(
  session: SessionRecord,
  seat: Pick<SessionRecord, "binding" | "queuedInputs" | "updatedAt">,
): SessionRecord {
  return Object.freeze({
    id: session.id,
    state: "ready",
    binding: seat.binding,
    baseLen: session.baseLen,
    len: session.len,
    settledLen: session.settledLen,
    openCalls: session.openCalls,
    nextSeq: session.nextSeq,
    rev: session.rev,
    headDigest: session.headDigest,
    runTurn: session.runTurn,
    queuedInputs: seat.queuedInputs,
    pendingApprovals: session.pendingApprovals,
    lease: session.lease,
    requestHead: session.requestHead,
    usage: session.usage,
    parent: session.parent,
    spawnedBy: session.spawnedBy,
    createdAt: session.createdAt,
    updatedAt: seat.updatedAt,
  });
}
