import { addUsage, emptyUsage, type TokenUsage } from "@basis/core";
import { endAfter, type TranscriptEnd } from "./append-rules.ts";
import type { CancelMark, ContextMark } from "./context-mark.ts";
import type { PreparedMessage, PreparedWrite } from "./prepared-write.ts";
import { writtenRecord } from "./next-record.ts";
import { emptyDigest, rowDigest } from "./row-digest.ts";
import { SessionError } from "./session-error.ts";
import type { SessionRecord } from "./session-record.ts";
import { sessionUnavailable } from "./session-unavailable.ts";
import type { WriteResult } from "./session-write.ts";
import type { RowHeader, StoredRow } from "./transcript-row.ts";
import { checkFence } from "./lease-rules.ts";
import { nextWork } from "./work-counts.ts";

type Usage = SessionRecord["usage"];

const NO_BODIES: WritePlan["bodies"] = Object.freeze([]);
const NO_ROWS: WritePlan["rows"] = Object.freeze([]);
const NO_IDS: WriteResult["ids"] = Object.freeze([]);

/** The row before a boundary, as far as a boundary depends on it. */
export type BoundaryRow = Pick<RowHeader, "digest" | "openAfter">;

/** What a plan needs beside record and request. */
export interface WriteMoment {
  readonly now: number;
  /** The row at `cancel.to - 1`; needed for a cancel to more than 0. */
  readonly beforeCancel?: BoundaryRow | undefined;
  /** The row at `mark.keepFrom - 1`; needed for a mark that keeps from more than 0. */
  readonly beforeKept?: BoundaryRow | undefined;
}

/** What a store has to write for one fenced write. */
export interface WritePlan {
  /** The record to put in place of the one the plan was made from. */
  readonly session: SessionRecord;
  /** Clip the session's spans to this length before adding rows; null without a cancel. */
  readonly clipTo: number | null;
  readonly rows: readonly StoredRow[];
  /** Bodies to keep as blobs; each referred to by the row that names it. */
  readonly bodies: readonly { readonly digest: string; readonly text: string }[];
  readonly cancelMark: CancelMark | null;
  /** Belongs to the last row. */
  readonly contextMark: ContextMark | null;
  readonly result: WriteResult;
}

/**
 * Decides a fenced write: pure, so that every store decides alike. The store has looked for the write id before, and
 * still checks what needs look-ups: given ids, blobs, side-state versions, consumed events.
 *
 * @throws SessionError `session_unavailable`, `stale_fence`, `revision_conflict`, `invalid_boundary`, `invalid_request`,
 * and what `endAfter` throws.
 */
export function planWrite(
  session: SessionRecord,
  write: PreparedWrite<never>,
  moment: WriteMoment,
): WritePlan {
  checkConditions(session, write);
  const { change } = write;
  const cancelled = write.cancel === null ? undefined : cancelTo(session, write, moment);
  const start = cancelled?.session ?? session;
  const usage = change.usage === undefined ? session.usage : usageAfter(session.usage, change.usage);
  const rev = session.rev + 1;
  const tail = layRows(start, { write, usage, rev, now: moment.now });
  const contextMark = markOf(start, { write, moment, end: tail.end.len });
  const { queuedInputs, pendingApprovals } = nextWork(session, change);
  const next = writtenRecord(start, {
    queuedInputs,
    pendingApprovals,
    len: tail.end.len,
    settledLen: tail.end.settledLen,
    openCalls: Object.freeze(tail.end.openCalls),
    nextSeq: session.nextSeq + tail.rows.length,
    headDigest: tail.digest,
    rev,
    lease: change.release === true ? freed(session) : session.lease,
    runTurn: change.runTurn === undefined ? session.runTurn : change.runTurn,
    requestHead: change.requestHead === undefined ? session.requestHead : change.requestHead,
    usage,
    updatedAt: moment.now,
  });
  return {
    session: next,
    clipTo: cancelled === undefined ? null : start.len,
    rows: tail.rows,
    bodies: bodiesOf(write.messages),
    cancelMark: cancelled === undefined ? null : { ...cancelled.mark, rev },
    contextMark,
    result: resultOf(next, start.len, write.messages),
  };
}

function usageAfter({ own, inherited }: Usage, spent: Partial<TokenUsage>): Usage {
  return Object.freeze({ own: Object.freeze(addUsage(own, spent)), inherited });
}

/** Everything spent, the inherited part included; most sessions inherit nothing. */
function sumOf({ own, inherited }: Usage): TokenUsage {
  return inherited === emptyUsage ? own : Object.freeze(addUsage(own, inherited));
}

function bodiesOf(messages: readonly PreparedMessage[]): WritePlan["bodies"] {
  if (messages.every(({ blob }) => blob === null)) return NO_BODIES;
  return messages.flatMap(({ blob, text }) => (blob === null ? [] : [{ digest: blob, text }]));
}

function checkConditions(session: SessionRecord, write: PreparedWrite<never>): void {
  if (session.state !== "ready") throw sessionUnavailable(session);
  checkFence(session, write.change.lease);
  const expected = write.change.expectedRev;
  if (expected === session.rev) return;
  throw new SessionError(
    "revision_conflict",
    `session ${session.id} is at revision ${session.rev}, not ${expected}`,
    { details: { sessionId: session.id, expected, actual: session.rev } },
  );
}

function cancelTo(
  session: SessionRecord,
  write: PreparedWrite<never>,
  moment: WriteMoment,
): { session: SessionRecord; mark: Omit<CancelMark, "rev"> } {
  const { to, reason } = write.cancel!;
  if (to > session.len) throw invalidBoundary(session, to, "out_of_range");
  if (to < session.baseLen) throw invalidBoundary(session, to, "inherited");
  const before = to === 0 ? { digest: emptyDigest, openAfter: 0 } : moment.beforeCancel!;
  if (before.openAfter > 0) throw invalidBoundary(session, to, "split");
  const mark = { from: session.len, to, digest: session.headDigest, reason, createdAt: moment.now };
  return {
    mark,
    session: { ...session, len: to, settledLen: to, openCalls: [], headDigest: before.digest },
  };
}

function invalidBoundary(
  session: SessionRecord,
  at: number,
  reason: "out_of_range" | "split" | "inherited",
): SessionError {
  return new SessionError("invalid_boundary", `${at} is no boundary of session ${session.id}: ${reason}`, {
    details: { reason, at, len: session.len },
  });
}

function freed({ lease }: SessionRecord): SessionRecord["lease"] {
  return Object.freeze({ epoch: lease.epoch, owner: null, expiresAt: null });
}

interface Tail {
  readonly end: TranscriptEnd;
  readonly digest: string;
  readonly rows: readonly StoredRow[];
}

interface RowTerms {
  readonly write: PreparedWrite<never>;
  /** What the session has spent with this write. */
  readonly usage: Usage;
  readonly rev: number;
  readonly now: number;
}

function layRows(start: SessionRecord, { write, usage, rev, now }: RowTerms): Tail {
  const { messages, turnId } = write;
  if (messages.length === 0) return { end: start, digest: start.headDigest, rows: NO_ROWS };
  const before = sumOf(start.usage);
  const after = usage === start.usage ? before : sumOf(usage);
  const last = messages.length - 1;
  let end: TranscriptEnd = start;
  let digest = start.headDigest;
  const rows = messages.map((message, index): StoredRow => {
    const position = end.len;
    end = endAfter(end, message.facts, index);
    const { id, text, blob, salt, facts } = message;
    const { kind } = facts;
    digest = rowDigest(digest, { salt, id, kind, turnId, body: blob ?? text });
    return {
      writer: start.id,
      seq: start.nextSeq + index,
      position,
      id,
      turnId,
      kind,
      digest,
      openAfter: end.openCalls.length,
      usageAfter: index === last ? after : before,
      rev,
      createdAt: now,
      bodyText: blob === null ? text : null,
      blob,
      salt,
    };
  });
  return { end, digest, rows };
}

function markOf(
  start: SessionRecord,
  input: { readonly write: PreparedWrite<never>; readonly moment: WriteMoment; readonly end: number },
): ContextMark | null {
  const { mark } = input.write;
  if (mark === null) return null;
  const position = input.end - 1;
  if (mark.summarises > position) throw invalidBoundary(start, mark.summarises, "out_of_range");
  if (mark.keepFrom > Math.min(mark.summarises, start.len)) {
    throw invalidBoundary(start, mark.keepFrom, "out_of_range");
  }
  if (mark.keepFrom > 0 && input.moment.beforeKept!.openAfter > 0) {
    throw invalidBoundary(start, mark.keepFrom, "split");
  }
  return Object.freeze({ position, ...mark, createdAt: input.moment.now });
}

function resultOf(session: SessionRecord, from: number, messages: readonly PreparedMessage[]): WriteResult {
  return Object.freeze({
    rev: session.rev,
    len: session.len,
    settledLen: session.settledLen,
    digest: session.headDigest,
    from,
    ids: messages.length === 0 ? NO_IDS : Object.freeze(messages.map(({ id }) => id)),
    replayed: false,
  });
}

/** The result of a write that was done before, as its retry gets it. */
export function replayOf(result: WriteResult): WriteResult {
  return Object.freeze({ ...result, replayed: true });
}

/** Refuses a write id that stood for something else. */
export function checkWriteId(
  sessionId: string,
  write: { readonly id: string; readonly digest: string },
  stored: string,
): void {
  if (stored === write.digest) return;
  throw new SessionError("write_id_conflict", `write ${write.id} was used for other content`, {
    details: { sessionId, writeId: write.id },
  });
}
