import type { ContextMark } from "../context-mark.ts";
import { decodeBody } from "../message-body.ts";
import { pageSizeOf, readRange } from "../read-request.ts";
import { checkCount } from "../request-checks.ts";
import { SessionError } from "../session-error.ts";
import { readOvertaken, sessionUnavailable } from "../session-unavailable.ts";
import { sliceSpans, type Span } from "../span.ts";
import type { ImmediateStore } from "../at-once.ts";
import type { ReadRequest } from "../store.ts";
import type { StoredRow, TranscriptRow } from "../transcript-row.ts";
import type { MemorySession } from "./memory-session.ts";
import type { MemoryState } from "./memory-state.ts";

/** The reads of a memory store that answer no rows. */
export function memoryReads<M>(
  state: MemoryState<M>,
): Pick<ImmediateStore<M, undefined>, "prefix" | "contextMark" | "cancelMarks" | "sideState" | "generation"> {
  return {
    generation(options) {
      state.enter(options?.signal);
      return state.generation;
    },
    prefix(sessionId, length, options) {
      state.enter(options?.signal);
      const session = state.session(sessionId);
      if (session.record.state === "tombstone") throw sessionUnavailable(session.record);
      const { len } = session.record;
      if (checkCount("length", length) > len) {
        throw new SessionError("invalid_boundary", `session ${sessionId} ends at ${len}, before ${length}`, {
          details: { reason: "out_of_range", at: length, len },
        });
      }
      return state.prefix(session, length);
    },
    contextMark(sessionId, options) {
      state.enter(options?.signal);
      return latestMark(state, state.session(sessionId));
    },
    cancelMarks(sessionId, options) {
      state.enter(options?.signal);
      return Object.freeze([...state.session(sessionId).cancelMarks]);
    },
    sideState(sessionId, kind, options) {
      state.enter(options?.signal);
      return state.session(sessionId).sideState.get(kind)?.current;
    },
  };
}

/** The rows of a session, page by page; see `SessionStore.read`. */
export async function* memoryRows<M>(
  state: MemoryState<M>,
  sessionId: string,
  request: ReadRequest = {},
): AsyncGenerator<TranscriptRow<M>, void, undefined> {
  const size = pageSizeOf(request);
  state.enter(request.signal);
  const session = state.session(sessionId);
  if (session.record.state === "tombstone") throw sessionUnavailable(session.record);
  const { from, to } = readRange(request, session.record);
  const { spans } = session;
  for (let start = from; start < to; start += size) {
    state.enter(request.signal);
    const rows = pageOfRows(state, sliceSpans(spans, start, Math.min(start + size, to)));
    if (rows === undefined) throw readOvertaken(state.session(sessionId).record);
    yield* rows;
  }
}

/** Undefined when one of them was collected. */
function pageOfRows<M>(state: MemoryState<M>, spans: readonly Span[]): TranscriptRow<M>[] | undefined {
  const rows: TranscriptRow<M>[] = [];
  for (const { writer, lo, hi } of spans) {
    const { log } = state.session(writer);
    for (let seq = lo; seq < hi; seq += 1) {
      const stored = log.get(seq);
      if (stored === undefined) return undefined;
      rows.push(rowOf(state, stored));
    }
  }
  return rows;
}

function rowOf<M>(state: MemoryState<M>, stored: StoredRow): TranscriptRow<M> {
  const { bodyText: _text, blob: _blob, salt, ...header } = stored;
  const body = decodeBody(storedText(state, stored)) as M;
  return Object.freeze(salt === null ? { ...header, body, redacted: true } : { ...header, body });
}

/** A row's body as it is kept. @throws SessionError `blob_missing`. */
export function storedText<M>(state: MemoryState<M>, { bodyText, blob }: StoredRow): string {
  if (bodyText !== null) return bodyText;
  state.checkBlob(blob!);
  const content = state.blobs.get(blob!)!;
  return typeof content === "string" ? content : new TextDecoder().decode(content);
}

/** The last mark whose summary row the session reaches. */
function latestMark<M>(state: MemoryState<M>, session: MemorySession): ContextMark | undefined {
  for (const { writer, lo, hi } of session.spans.toReversed()) {
    const marks = state.session(writer).contextMarks;
    const found = marks.findLast(({ seq }) => lo <= seq && seq < hi);
    if (found !== undefined) return found.mark;
  }
  return undefined;
}
