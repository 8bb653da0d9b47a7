import type { ReadRequest, SessionStore, StoredRow, TranscriptRow } from "@mobkit/session";
import { SessionError } from "@mobkit/session";
import {
  checkCount,
  decodeBody,
  pageSizeOf,
  readOvertaken,
  readRange,
  sessionUnavailable,
} from "@mobkit/session/rules";
import { blobContent, blobMissing } from "./blobs.ts";
import { latestContextMark, readCancelMarks } from "./marks.ts";
import { prefixRecord, readRows } from "./messages.ts";
import { nextTurn } from "./next-turn.ts";
import { requireSession } from "./session-rows.ts";
import { readSideState } from "./side-states.ts";
import { readSpans, sliceSpans } from "./spans.ts";
import type { StoreConnection } from "./store-connection.ts";
import type { StoreContext } from "./store-context.ts";

/** The reads of a store. None holds a transaction open across an await. */
export function sqliteReads<M>({
  connection,
}: StoreContext<M>): Pick<SessionStore<M>, "read" | "prefix" | "contextMark" | "cancelMarks" | "sideState"> {
  return {
    read: (sessionId, request = {}) => rowsOf<M>(connection, sessionId, request),
    prefix: async (sessionId, length, options = {}) =>
      connection.read(() => {
        const session = requireSession(connection, sessionId);
        if (session.record.state === "tombstone") throw sessionUnavailable(session.record);
        const { len } = session.record;
        if (checkCount("length", length) <= len) return prefixRecord(connection, session, length);
        throw new SessionError("invalid_boundary", `session ${sessionId} ends at ${len}, before ${length}`, {
          details: { reason: "out_of_range", at: length, len },
        });
      }, options.signal),
    contextMark: (sessionId, options = {}) =>
      connection.read(
        () => latestContextMark(connection, requireSession(connection, sessionId)),
        options.signal,
      ),
    cancelMarks: (sessionId, options = {}) =>
      connection.look(
        () => readCancelMarks(connection, requireSession(connection, sessionId).key),
        options.signal,
      ),
    sideState: (sessionId, kind, options = {}) =>
      connection.look(() => readSideState(connection, sessionId, kind), options.signal),
  };
}

/** Reads page by page; a long body is fetched by itself, so that a page never holds many of them. The spans are taken once: a row never changes its place, so what they show stays the same. */
async function* rowsOf<M>(
  connection: StoreConnection,
  sessionId: string,
  request: ReadRequest,
): AsyncGenerator<TranscriptRow<M>, void, undefined> {
  const { signal } = request;
  const size = pageSizeOf(request);
  const session = await connection.read(() => {
    const found = requireSession(connection, sessionId);
    return { ...found, spans: readSpans(connection, found) };
  }, signal);
  const { record, spans } = session;
  if (record.state === "tombstone") throw sessionUnavailable(record);
  const { from, to } = readRange(request, record);
  for (let start = from; start < to; start += size) {
    if (start > from) await nextTurn();
    const end = Math.min(start + size, to);
    const slice = sliceSpans(spans, start, end);
    const rows = await connection.read(() => {
      const page = slice.flatMap((span) => readRows(connection, span));
      if (page.length < end - start) throw readOvertaken(requireSession(connection, sessionId).record);
      return page;
    }, signal);
    for (const row of rows) {
      const text = row.bodyText ?? (await connection.look(() => blobText(connection, row.blob!), signal));
      yield rowOf<M>(row, text);
    }
  }
}

/** A row with its message. */
function rowOf<M>(stored: StoredRow, text: string): TranscriptRow<M> {
  const row = {
    writer: stored.writer,
    seq: stored.seq,
    position: stored.position,
    id: stored.id,
    turnId: stored.turnId,
    kind: stored.kind,
    digest: stored.digest,
    openAfter: stored.openAfter,
    usageAfter: stored.usageAfter,
    rev: stored.rev,
    createdAt: stored.createdAt,
    body: decodeBody(text) as M,
  };
  return Object.freeze(stored.salt === null ? { ...row, redacted: true as const } : row);
}

/** A blob's content as text. @throws SessionError `blob_missing`. */
export function blobText(connection: StoreConnection, digest: string): string {
  const content = blobContent(connection, digest);
  if (content === undefined) throw blobMissing(digest);
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("utf8");
}
