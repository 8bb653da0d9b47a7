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
import { dropOldestWrite, keepItem, keepWrite, putBox, type MemorySession } from "./memory-session.ts";
import type { MemoryState } from "./memory-state.ts";

/** A session's latest writes that can be repeated. */
const REMEMBERED = 256;

/** The writes of a memory store, whose joins get nothing but their moment. */
export function memoryWrites<M>(
  state: MemoryState<M>,
): Pick<ImmediateStore<M, undefined>, "append" | "update" | "cancel" | "adjustWork"> {
  const { shape, clock } = state;
  return {
    append(sessionId, request) {
      state.enter(request.signal);
      const now = clock.now();
      return write(state, sessionId, { prepared: prepareAppend(request, { shape, now }), now });
    },
    update(sessionId, request) {
      state.enter(request.signal);
      return write(state, sessionId, { prepared: prepareUpdate(request), now: clock.now() });
    },
    cancel(sessionId, request) {
      state.enter(request.signal);
      const now = clock.now();
      return write(state, sessionId, { prepared: prepareCancel(request, { shape, now }), now });
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

/** A write that is ready for its transaction, and its moment. */
interface Entry {
  readonly prepared: PreparedWrite<undefined>;
  readonly now: number;
}

function write<M>(state: MemoryState<M>, sessionId: string, { prepared, now }: Entry): WriteResult {
  const session = state.session(sessionId);
  const { change, cancel, mark, blobs } = prepared;
  const id = { id: change.writeId, digest: prepared.contentDigest ?? "" };
  const stored = replay(session, id);
  if (stored !== undefined) return replayOf(stored as WriteResult);
  const plan = planWrite(session.record, prepared, {
    now,
    beforeCancel: cancel === null ? undefined : state.rowAt(session, cancel.to - 1),
    beforeKept: mark === null ? undefined : state.rowAt(session, mark.keepFrom - 1),
  });
  checkLookups(state, session, prepared);
  const sideState =
    change.sideState === undefined ? undefined : sideStateAfter(session, change.sideState, plan);
  state.callJoin(change.join);
  apply(state, session, plan);
  for (let index = 0; index < blobs.length; index += 1)
    keepItem(session, "blobRefs", { seq: plan.session.nextSeq - 1, digest: blobs[index]! });
  if (sideState !== undefined) for (const next of sideState) putSideState(session, next);
  if (change.consumes !== undefined) for (const eventId of change.consumes) state.consume(eventId);
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
  const { rows, bodies } = plan;
  if (plan.clipTo !== null) session.spans = clipSpans(session.spans, plan.clipTo);
  session.record = plan.session;
  if (plan.cancelMark !== null) keepItem(session, "cancelMarks", Object.freeze(plan.cancelMark));
  if (rows.length === 0) return;
  const { writer, seq: lo } = rows[0]!;
  const hi = lo + rows.length;
  session.spans = extendSpans(session.spans, { writer, lo, hi });
  for (let index = 0; index < bodies.length; index += 1)
    state.keepBlob(bodies[index]!.digest, bodies[index]!.text);
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index]!;
    session.log.set(row.seq, row);
    state.places.note(row);
    if (row.blob !== null) keepItem(session, "blobRefs", { seq: row.seq, digest: row.blob });
  }
  if (plan.contextMark !== null) keepItem(session, "contextMarks", { seq: hi - 1, mark: plan.contextMark });
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
