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
import { blobText } from "./blobs.ts";
import { latestContextMark, readCancelMarks } from "./marks.ts";
import { prefixRecord, readRows } from "./messages.ts";
import { requireSession } from "./session-rows.ts";
import { readSideState } from "./side-states.ts";
import { sliceOf } from "./spans.ts";
import type { StoreContext } from "./store-context.ts";
import type { Transactions } from "./transactions.ts";

/** The reads of a store. None holds a transaction open: a row is never changed, and spans are read in one statement. */
export function postgresReads<M>({
  transactions,
}: StoreContext<M>): Pick<SessionStore<M>, "read" | "prefix" | "contextMark" | "cancelMarks" | "sideState"> {
  return {
    read: (sessionId, request = {}) => rowsOf<M>(transactions, sessionId, request),
    prefix: async (sessionId, length, options = {}) =>
      transactions.read(async (sql) => {
        const { spans, record } = await requireSession(sql, sessionId);
        if (record.state === "tombstone") throw sessionUnavailable(record);
        const { len } = record;
        if (checkCount("length", length) <= len) return prefixRecord(sql, spans, length);
        throw new SessionError("invalid_boundary", `session ${sessionId} ends at ${len}, before ${length}`, {
          details: { reason: "out_of_range", at: length, len },
        });
      }, options.signal),
    contextMark: (sessionId, options = {}) =>
      transactions.read(
        async (sql) => latestContextMark(sql, await requireSession(sql, sessionId)),
        options.signal,
      ),
    cancelMarks: (sessionId, options = {}) =>
      transactions.read(
        async (sql) => readCancelMarks(sql, (await requireSession(sql, sessionId)).key),
        options.signal,
      ),
    sideState: (sessionId, kind, options = {}) =>
      transactions.read(async (sql) => {
        const [, state] = await Promise.all([
          requireSession(sql, sessionId),
          readSideState(sql, sessionId, kind),
        ]);
        return state;
      }, options.signal),
  };
}

/** Reads page by page. The spans are taken once: a row never changes its place, so what they show stays the same. */
async function* rowsOf<M>(
  transactions: Transactions,
  sessionId: string,
  request: ReadRequest,
): AsyncGenerator<TranscriptRow<M>, void, undefined> {
  const { signal } = request;
  const size = pageSizeOf(request);
  const { record, spans } = await transactions.read((sql) => requireSession(sql, sessionId), signal);
  if (record.state === "tombstone") throw sessionUnavailable(record);
  const { from, to } = readRange(request, record);
  for (let start = from; start < to; start += size) {
    const end = Math.min(start + size, to);
    const slice = sliceOf(spans, start, end);
    const pages = await transactions.read(
      (sql) => Promise.all(slice.map((span) => readRows(sql, span))),
      signal,
    );
    const rows = pages.flat();
    if (rows.length < end - start) {
      throw readOvertaken((await transactions.read((sql) => requireSession(sql, sessionId), signal)).record);
    }
    for (const row of rows) yield await rowOf<M>(transactions, row, signal);
  }
}

/** A row with its message. A long body is fetched by itself, so that a page never holds many of them. */
async function rowOf<M>(
  transactions: Transactions,
  stored: StoredRow,
  signal: AbortSignal | undefined,
): Promise<TranscriptRow<M>> {
  const { bodyText, blob, salt, ...header } = stored;
  const text = bodyText ?? (await transactions.read((sql) => blobText(sql, blob!), signal));
  const body = decodeBody(text) as M;
  return Object.freeze(salt === null ? { ...header, body, redacted: true as const } : { ...header, body });
}
