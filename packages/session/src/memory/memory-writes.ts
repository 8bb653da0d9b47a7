import {
  prepareAppend,
  prepareCancel,
  prepareUpdate,
  workDigest,
  type PreparedMessage,
  type PreparedWrite,
} from "../prepared-write.ts";
import { SessionError } from "../session-error.ts";
import { sessionUnavailable } from "../session-unavailable.ts";
import type { WriteResult } from "../session-write.ts";
import { nextSideState, type SideState, type SideStateWrite } from "../side-state.ts";
import { clipSpans, extendSpans } from "../span.ts";
import type { ImmediateStore } from "../at-once.ts";
import type { WorkCounts } from "../store.ts";
import { nextWork } from "../work-counts.ts";
import { checkWriteId, planWrite, replayOf, type WritePlan } from "../write-plan.ts";
import { dropOldestWrite, keepWrite, putBox, type MemorySession } from "./memory-session.ts";
import type { MemoryState } from "./memory-state.ts";

/** A session's latest writes that can be repeated. */
const REMEMBERED = 256;

/** The writes of a memory store, whose joins get nothing but their moment. */
export function memoryWrites<M>(
  state: MemoryState<M>,
): Pick<ImmediateStore<M, undefined>, "append" | "update" | "cancel" | "adjustWork"> {
  const origin = (): { shape: typeof state.shape; now: number } => ({
    shape: state.shape,
    now: state.clock.now(),
  });
  return {
    append(sessionId, request) {
      state.enter(request.signal);
      return write(state, sessionId, prepareAppend(request, origin()));
    },
    update(sessionId, request) {
      state.enter(request.signal);
      return write(state, sessionId, prepareUpdate(request));
    },
    cancel(sessionId, request) {
      state.enter(request.signal);
      return write(state, sessionId, prepareCancel(request, origin()));
    },
    adjustWork(sessionId, request) {
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
  const { change, cancel, mark, blobs } = prepared;
  const id = { id: change.writeId, digest: prepared.contentDigest ?? "" };
  const stored = replay(session, id);
  if (stored !== undefined) return replayOf(stored as WriteResult);
  const plan = planWrite(session.record, prepared, {
    now: state.clock.now(),
    beforeCancel: cancel === null ? undefined : state.rowAt(session, cancel.to - 1),
    beforeKept: mark === null ? undefined : state.rowAt(session, mark.keepFrom - 1),
  });
  checkLookups(state, session, prepared);
  const sideState = change.sideState === undefined ? [] : sideStateAfter(session, change.sideState, plan);
  state.callJoin(change.join);
  apply(state, session, plan);
  for (const digest of blobs) session.blobRefs.push({ seq: plan.session.nextSeq - 1, digest });
  for (const next of sideState) putSideState(session, next);
  for (const eventId of change.consumes ?? []) state.consume(eventId);
  if (change.events !== undefined) state.emit(sessionId, change.events);
  remember(session, id, plan.result);
  return plan.result;
}

/** Everything that the plan couldn't judge by itself but the side state. */
function checkLookups<M>(
  state: MemoryState<M>,
  session: MemorySession,
  { change, blobs, messages, cancel }: PreparedWrite<undefined>,
): void {
  const { requestHead, consumes } = change;
  const length = cancel?.to ?? session.record.len;
  if (messages[0]?.givenId === true) checkGivenIds(state, session, { messages, length });
  for (const digest of blobs) state.checkBlob(digest);
  if (typeof requestHead === "string") state.checkBlob(requestHead);
  if (consumes !== undefined) checkConsumes(state, consumes);
}

/** A write's ids are all the caller's or none is. */
function checkGivenIds<M>(
  state: MemoryState<M>,
  session: MemorySession,
  { messages, length }: { readonly messages: readonly PreparedMessage[]; readonly length: number },
): void {
  for (const [index, { id }] of messages.entries()) {
    const position = state.positionIn(session, state.places.ofMessage(id));
    if (position === undefined || position >= length) continue;
    throw new SessionError("duplicate_message", `the transcript holds a message ${id}`, {
      details: { index, id },
    });
  }
}

function sideStateAfter(
  session: MemorySession,
  writes: readonly SideStateWrite[],
  plan: WritePlan,
): readonly SideState[] {
  return writes.map((next) => nextSideState(session.sideState.get(next.kind)?.current, next, plan.session));
}

function checkConsumes<M>(state: MemoryState<M>, eventIds: readonly string[]): void {
  for (const [index, eventId] of eventIds.entries()) {
    if (state.outbox.has(eventId) && eventIds.indexOf(eventId) === index) continue;
    throw new SessionError("event_consumed", `the event ${eventId} is gone`, { details: { eventId } });
  }
}

function apply<M>(state: MemoryState<M>, session: MemorySession, plan: WritePlan): void {
  if (plan.clipTo !== null) session.spans = clipSpans(session.spans, plan.clipTo);
  const [first] = plan.rows;
  if (first !== undefined) {
    const rows = { writer: first.writer, lo: first.seq, hi: first.seq + plan.rows.length };
    session.spans = extendSpans(session.spans, rows);
  }
  session.record = plan.session;
  for (const { digest, text } of plan.bodies) state.keepBlob(digest, text);
  for (const row of plan.rows) {
    session.log.set(row.seq, row);
    state.places.note(row);
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
  if (box === undefined) putBox(session, next.kind, { current: next });
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

function remember(session: MemorySession, write: WriteId, result: WriteResult | WorkCounts): void {
  if (write.id === undefined) return;
  keepWrite(session, write.id, { digest: write.digest, result });
  if (session.writes.size > REMEMBERED) dropOldestWrite(session);
}
