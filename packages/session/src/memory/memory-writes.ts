import {
  prepareAppend,
  prepareCancel,
  prepareUpdate,
  workDigest,
  type PreparedWrite,
} from "../prepared-write.ts";
import { SessionError } from "../session-error.ts";
import { sessionUnavailable } from "../session-unavailable.ts";
import type { WriteResult } from "../session-write.ts";
import { nextSideState, type SideState } from "../side-state.ts";
import { clipSpans, extendSpans } from "../span.ts";
import type { SessionStore, WorkCounts } from "../store.ts";
import { nextWork } from "../work-counts.ts";
import { checkWriteId, planWrite, replayOf, type WritePlan } from "../write-plan.ts";
import type { MemorySession, MemoryState } from "./memory-state.ts";

/** A session's latest writes that can be repeated. */
const REMEMBERED = 256;

/** The writes of a memory store, whose joins get nothing but their moment. */
export function memoryWrites<M>(
  state: MemoryState<M>,
): Pick<SessionStore<M, undefined>, "append" | "update" | "cancel" | "adjustWork"> {
  const origin = (): { shape: typeof state.shape; now: number } => ({
    shape: state.shape,
    now: state.clock.now(),
  });
  return {
    async append(sessionId, request) {
      state.enter(request.signal);
      return write(state, sessionId, prepareAppend(request, origin()));
    },
    async update(sessionId, request) {
      state.enter(request.signal);
      return write(state, sessionId, prepareUpdate(request));
    },
    async cancel(sessionId, request) {
      state.enter(request.signal);
      return write(state, sessionId, prepareCancel(request, origin()));
    },
    async adjustWork(sessionId, request) {
      state.enter(request.signal);
      const session = state.session(sessionId);
      const write = { id: request.writeId, digest: workDigest(request) };
      const stored = replay(session, write);
      if (stored !== undefined) return stored as WorkCounts;
      if (session.record.state !== "ready") throw sessionUnavailable(session.record);
      const counts = Object.freeze(nextWork(session.record, request));
      state.callJoin(request.join);
      session.record = Object.freeze({ ...session.record, ...counts });
      remember(session, write, counts);
      return counts;
    },
  };
}

function write<M>(state: MemoryState<M>, sessionId: string, prepared: PreparedWrite<undefined>): WriteResult {
  const session = state.session(sessionId);
  const id = { id: prepared.change.writeId, digest: prepared.contentDigest ?? "" };
  const stored = replay(session, id);
  if (stored !== undefined) return replayOf(stored as WriteResult);
  const plan = planWrite(session.record, prepared, {
    now: state.clock.now(),
    beforeCancel: rowBefore(state, session, prepared.cancel?.to),
    beforeKept: rowBefore(state, session, prepared.mark?.keepFrom),
  });
  const sideState = checkLookups(state, session, { prepared, plan });
  state.callJoin(prepared.change.join);
  apply(state, session, plan);
  for (const digest of prepared.blobs) session.blobRefs.push({ seq: plan.session.nextSeq - 1, digest });
  for (const next of sideState) putSideState(session, next);
  for (const eventId of prepared.change.consumes ?? []) state.consume(eventId);
  state.emit(sessionId, prepared.change.events ?? []);
  remember(session, id, plan.result);
  return plan.result;
}

function rowBefore<M>(state: MemoryState<M>, session: MemorySession, length: number | undefined) {
  return length === undefined ? undefined : state.rowAt(session, length - 1);
}

/** Everything that the plan couldn't judge by itself; answers the side state to write. */
function checkLookups<M>(
  state: MemoryState<M>,
  session: MemorySession,
  input: { readonly prepared: PreparedWrite<undefined>; readonly plan: WritePlan },
): SideState[] {
  const { change, blobs, messages } = input.prepared;
  const { requestHead } = change;
  const length = input.prepared.cancel?.to ?? session.record.len;
  for (const [index, { id, givenId }] of messages.entries()) {
    const position = givenId ? state.positionIn(session, state.places.message.get(id)) : undefined;
    if (position === undefined || position >= length) continue;
    throw new SessionError("duplicate_message", `the transcript holds a message ${id}`, {
      details: { index, id },
    });
  }
  for (const digest of blobs) state.checkBlob(digest);
  if (typeof requestHead === "string") state.checkBlob(requestHead);
  checkConsumes(state, change.consumes ?? []);
  return (change.sideState ?? []).map((next) =>
    nextSideState(session.sideState.get(next.kind)?.current, next, input.plan.session),
  );
}

function checkConsumes<M>(state: MemoryState<M>, eventIds: readonly string[]): void {
  for (const [index, eventId] of eventIds.entries()) {
    if (state.outbox.has(eventId) && eventIds.indexOf(eventId) === index) continue;
    throw new SessionError("event_consumed", `the event ${eventId} is gone`, { details: { eventId } });
  }
}

function apply<M>(state: MemoryState<M>, session: MemorySession, plan: WritePlan): void {
  const kept = plan.clipTo === null ? session.spans : clipSpans(session.spans, plan.clipTo);
  const [first] = plan.rows;
  session.spans =
    first === undefined
      ? kept
      : extendSpans(kept, { writer: first.writer, lo: first.seq, hi: first.seq + plan.rows.length });
  session.record = plan.session;
  for (const { digest, text } of plan.bodies) state.keepBlob(digest, text);
  for (const row of plan.rows) {
    session.log.set(row.seq, row);
    state.notePlaces(row);
    if (row.blob !== null) session.blobRefs.push({ seq: row.seq, digest: row.blob });
  }
  if (plan.cancelMark !== null) session.cancelMarks.push(Object.freeze(plan.cancelMark));
  const last = plan.rows.at(-1);
  if (plan.contextMark !== null && last !== undefined) {
    session.contextMarks.push({ seq: last.seq, mark: plan.contextMark });
  }
}

function putSideState(session: MemorySession, next: SideState): void {
  const box = session.sideState.get(next.kind);
  if (box === undefined) session.sideState.set(next.kind, { current: next });
  else box.current = next;
}

interface WriteId {
  readonly id: string | undefined;
  readonly digest: string;
}

function replay(session: MemorySession, write: WriteId): WriteResult | WorkCounts | undefined {
  const stored = write.id === undefined ? undefined : session.writes.get(write.id);
  if (stored === undefined || write.id === undefined) return undefined;
  checkWriteId(session.record.id, { id: write.id, digest: write.digest }, stored.digest);
  return stored.result;
}

/** The oldest goes first; a Map lists its keys in the order in which they came. */
function remember(session: MemorySession, write: WriteId, result: WriteResult | WorkCounts): void {
  if (write.id === undefined) return;
  session.writes.set(write.id, { digest: write.digest, result });
  const [oldest] = session.writes.keys();
  if (session.writes.size > REMEMBERED && oldest !== undefined) session.writes.delete(oldest);
}
