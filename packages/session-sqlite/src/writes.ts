import { SessionError } from "@mobkit/session";
import type {
  AppendRequest,
  CancelRequest,
  Join,
  SessionChange,
  WorkCounts,
  WorkRequest,
  WriteResult,
} from "@mobkit/session";
import {
  nextWork,
  planWrite,
  prepareAppend,
  prepareCancel,
  prepareUpdate,
  replayOf,
  sessionUnavailable,
  workDigest,
  type PreparedWrite,
  type WriteMoment,
  type WritePlan,
} from "@mobkit/session/rules";
import { keepBlob, referToBlob, requireBlob } from "./blobs.ts";
import { addCancelMark, addContextMark } from "./marks.ts";
import { boundaryRow, insertRows, positionOfMessage } from "./messages.ts";
import { addEvents, consumeEvents } from "./outbox.ts";
import {
  requireSession,
  writeCountedSession,
  writeLease,
  writeSession,
  type StoredSession,
} from "./session-rows.ts";
import { writeSideStates } from "./side-states.ts";
import { clipStoredSpans, extendStoredSpans, readSpans } from "./spans.ts";
import type { StoreConnection } from "./store-connection.ts";
import type { StoreContext } from "./store-context.ts";
import { withTransaction, type SqliteTransaction } from "./store-sql.ts";
import { recallWrite, rememberWrite, type RepeatableWrite } from "./write-ids.ts";

/** The writes of a store that change a session. Each is one transaction, grouped with its neighbours into one commit. */
export interface SessionWrites<M> {
  append(sessionId: string, request: AppendRequest<M, SqliteTransaction>): Promise<WriteResult>;
  update(sessionId: string, request: SessionChange<SqliteTransaction>): Promise<WriteResult>;
  cancel(sessionId: string, request: CancelRequest<M, SqliteTransaction>): Promise<WriteResult>;
  adjustWork(sessionId: string, request: WorkRequest<SqliteTransaction>): Promise<WorkCounts>;
}

/** The session writes on a store file. */
export function sqliteWrites<M>(context: StoreContext<M>): SessionWrites<M> {
  const origin = () => ({ shape: context.shape, now: context.clock.now() });
  const write = (sessionId: string, prepared: PreparedWrite<SqliteTransaction>) =>
    context.commits.submit(() => writeOnce(context, sessionId, prepared), prepared.change.signal);
  return {
    append: async (sessionId, request) => write(sessionId, prepareAppend(request, origin())),
    update: async (sessionId, request) => write(sessionId, prepareUpdate(request)),
    cancel: async (sessionId, request) => write(sessionId, prepareCancel(request, origin())),
    adjustWork: async (sessionId, request) => {
      const digest = workDigest(request);
      return context.commits.submit(
        () => adjustOnce(context, sessionId, { request, digest }),
        request.signal,
      );
    },
  };
}

function writeOnce<M>(
  context: StoreContext<M>,
  sessionId: string,
  prepared: PreparedWrite<SqliteTransaction>,
): WriteResult {
  const { connection, clock } = context;
  const session = requireSession(connection, sessionId);
  const writeId = prepared.change.writeId;
  const repeatable = writeId === undefined ? undefined : { id: writeId, digest: prepared.contentDigest! };
  const first = repeatable && recallWrite(connection, session, repeatable);
  if (first) return replayOf(first as unknown as WriteResult);
  const moment = { now: clock.now(), ...rowsBefore(connection, session, prepared) };
  const plan = planWrite(session.record, prepared, moment);
  refuseKnownIds(connection, session, prepared);
  const stored = { key: session.key, record: plan.session };
  persistTranscript(connection, stored, plan);
  persistBlobs(connection, stored, { plan, prepared });
  persistChange(connection, stored, { change: prepared.change, now: moment.now });
  persistSession(connection, stored, repeatable && { ...repeatable, result: plan.result });
  if (prepared.change.release === true) writeLease(connection, stored.key, plan.session);
  joinIn(connection, prepared.change.join);
  return plan.result;
}

/** The rows that the decision depends on. */
function rowsBefore(
  connection: StoreConnection,
  session: StoredSession,
  prepared: PreparedWrite<SqliteTransaction>,
): Omit<WriteMoment, "now"> {
  const rowBefore = (length: number | undefined) =>
    length === undefined || length === 0 ? undefined : boundaryRow(connection, session, length);
  return { beforeCancel: rowBefore(prepared.cancel?.to), beforeKept: rowBefore(prepared.mark?.keepFrom) };
}

/** Refuses ids of the caller's that the transcript holds. @throws SessionError `duplicate_message`. */
function refuseKnownIds(
  connection: StoreConnection,
  session: StoredSession,
  prepared: PreparedWrite<SqliteTransaction>,
): void {
  if (!prepared.messages.some(({ givenId }) => givenId)) return;
  const spans = readSpans(connection, session);
  const length = prepared.cancel?.to ?? session.record.len;
  for (const [index, { id }] of prepared.messages.entries()) {
    const position = positionOfMessage(connection, spans, id);
    if (position === undefined || position >= length) continue;
    throw new SessionError("duplicate_message", `the transcript holds a message ${id} already`, {
      details: { index, id },
    });
  }
}

function persistTranscript(connection: StoreConnection, session: StoredSession, plan: WritePlan): void {
  const { key, record } = session;
  const before = record.len - plan.rows.length;
  if (plan.clipTo !== null) clipStoredSpans(connection, key, plan.clipTo);
  if (plan.rows.length > 0) {
    extendStoredSpans(connection, { key, len: before, nextSeq: record.nextSeq - plan.rows.length });
    insertRows(connection, key, plan.rows);
    connection.known.keepEnd({ key, len: record.len, nextSeq: record.nextSeq });
  }
  if (plan.cancelMark) addCancelMark(connection, key, plan.cancelMark);
  if (plan.contextMark) addContextMark(connection, { key, seq: record.nextSeq - 1 }, plan.contextMark);
}

function persistBlobs(
  connection: StoreConnection,
  session: StoredSession,
  write: { readonly plan: WritePlan; readonly prepared: PreparedWrite<SqliteTransaction> },
): void {
  const { plan, prepared } = write;
  const { key, record } = session;
  for (const { digest, text } of plan.bodies) {
    keepBlob(connection, { digest, bytes: Buffer.from(text, "utf8") }, record.updatedAt);
  }
  for (const row of plan.rows)
    if (row.blob !== null) referToBlob(connection, { key, seq: row.seq }, row.blob);
  for (const digest of prepared.blobs) {
    requireBlob(connection, digest);
    referToBlob(connection, { key, seq: record.nextSeq - 1 }, digest);
  }
  const head = prepared.change.requestHead;
  if (typeof head === "string") requireBlob(connection, head);
}

function persistChange(
  connection: StoreConnection,
  session: StoredSession,
  write: { readonly change: SessionChange<SqliteTransaction>; readonly now: number },
): void {
  const { change, now } = write;
  consumeEvents(connection, change.consumes ?? [], now);
  writeSideStates(connection, session, change.sideState ?? []);
  addEvents(connection, change.events ?? [], { key: session.key, now });
}

function persistSession(
  connection: StoreConnection,
  { key, record }: StoredSession,
  write: (RepeatableWrite & { readonly result: object }) | undefined,
): void {
  if (write === undefined) return writeSession(connection, key, record);
  const ordinal = writeCountedSession(connection, key, record);
  rememberWrite(connection, { session: key, ordinal }, write);
}

function adjustOnce<M>(
  { connection }: StoreContext<M>,
  sessionId: string,
  asked: { readonly request: WorkRequest<SqliteTransaction>; readonly digest: string },
): WorkCounts {
  const { request, digest } = asked;
  const session = requireSession(connection, sessionId);
  const id = request.writeId;
  const repeatable = id === undefined ? undefined : { id, digest };
  const first = repeatable && recallWrite(connection, session, repeatable);
  if (first) return first as unknown as WorkCounts;
  if (session.record.state !== "ready") throw sessionUnavailable(session.record);
  const counts = Object.freeze(nextWork(session.record, request));
  const stored = { key: session.key, record: Object.freeze({ ...session.record, ...counts }) };
  persistSession(connection, stored, repeatable && { ...repeatable, result: counts });
  joinIn(connection, request.join);
  return counts;
}

function joinIn(connection: StoreConnection, join: Join<SqliteTransaction> | undefined): void {
  if (join) withTransaction(connection, { field: "join", work: join });
}
