import { askedBoundary, checkForkBoundary, checkForkSource, forkBoundary } from "../fork-boundary.ts";
import { checkCommitRequest, checkSameRequest, planAbandon, planFork, planSeat } from "../fork-plan.ts";
import type { ForkCommit, ForkCommitRequest, ForkPointRequest, SessionForks } from "../session-forks.ts";
import { inheritance } from "../side-state.ts";
import { clipSpans } from "../span.ts";
import type { PrefixRecord } from "../transcript-row.ts";
import { maxSpans, runRebase } from "../rebase.ts";
import { operationOf } from "./memory-ledger.ts";
import { memoryRebase } from "./memory-rebase.ts";
import { memorySession, putBox, type MemorySession } from "./memory-session.ts";
import type { MemoryState } from "./memory-state.ts";

/** The fork transitions of a memory store. */
export function memoryForks<M>(state: MemoryState<M>): SessionForks<M> {
  return {
    async source({ member: name, kind, signal }) {
      state.enter(signal);
      const member = state.members.get(name);
      if (member === undefined) return undefined;
      const made = state.operations.get(state.operationSessions.get(member.sessionId) ?? "");
      const sideState = state.session(member.sessionId).sideState.get(kind)?.current;
      return Object.freeze({ member, madeBy: made?.request, sideState });
    },
    async inspect(request) {
      state.enter(request.signal);
      const source = state.session(request.source.sessionId);
      checkForkSource(source.record, request);
      const prefix = boundaryOf(state, source, request);
      state.checkBlobs(source, prefix.length);
      return prefix;
    },
    async commit(request) {
      state.enter(request.signal);
      return commitFork(state, request);
    },
    async seat(request) {
      state.enter(request.signal);
      const operation = operationOf(state, request.claim.operationId);
      const child = state.session(operation.child.sessionId);
      const plan = planSeat({ operation, session: child.record }, request, state.clock.now());
      if (plan === undefined) return storedSeat(state, operation.id);
      state.operations.set(operation.id, plan.operation);
      child.record = plan.session;
      state.reservations.delete(plan.member.member);
      state.members.set(plan.member.member, plan.member);
      state.emit(plan.session.id, plan.events);
      const { session, member } = plan;
      return Object.freeze({ operation: plan.operation, session, member, replayed: false });
    },
    async abandon(request) {
      state.enter(request.signal);
      const operation = operationOf(state, request.operationId);
      const child = state.session(operation.child.sessionId);
      const plan = planAbandon({ operation, session: child.record }, request.claim, state.clock.now());
      if (plan === undefined) return operation;
      state.operations.set(operation.id, plan.operation);
      child.record = plan.session;
      state.reservations.delete(operation.child.member);
      state.emit(child.record.id, [plan.event]);
      return plan.operation;
    },
  };
}

function commitFork<M>(state: MemoryState<M>, request: ForkCommitRequest<M>): ForkCommit<M> {
  checkCommitRequest(request);
  const replayed = replayedCommit(state, request);
  if (replayed !== undefined) return replayed;
  const source = state.session(request.source.sessionId);
  checkForkSource(source.record, request);
  state.checkNameFree(request.child.member);
  const prefix = boundaryOf(state, source, request);
  state.checkBlobs(source, prefix.length);
  const plan = planFork(request, {
    source: source.record,
    prefix,
    shape: state.shape,
    now: state.clock.now(),
    sideStateReset: resetKinds(source, prefix.length),
  });
  const child = memorySession(plan.session, clipSpans(source.spans, prefix.length));
  inheritSideState(source, child);
  state.sessions.set(plan.session.id, child);
  state.reservations.set(request.child.member, plan.operation.id);
  state.operations.set(plan.operation.id, plan.operation);
  state.operationSessions.set(plan.session.id, plan.operation.id);
  if (request.idempotencyKey !== undefined) {
    state.operationKeys.set(request.idempotencyKey, plan.operation.id);
  }
  state.emit(plan.session.id, [plan.event]);
  if (child.spans.length > maxSpans) {
    // In the background: whatever fails is tried again with the next rebase.
    void runRebase(memoryRebase(state), { sessionId: plan.session.id }).catch(() => undefined);
  }
  const { operation, session, claim } = plan;
  return Object.freeze({ operation, session, claim, replayed: false });
}

function replayedCommit<M>(state: MemoryState<M>, request: ForkCommitRequest<M>): ForkCommit<M> | undefined {
  const operationId =
    request.idempotencyKey === undefined ? undefined : state.operationKeys.get(request.idempotencyKey);
  if (operationId === undefined) return undefined;
  const operation = operationOf(state, operationId);
  checkSameRequest(operation, request);
  const session = state.session(operation.child.sessionId).record;
  return Object.freeze({ operation, session, claim: null, replayed: true });
}

/** The prefix that the request means, judged. */
function boundaryOf<M>(
  state: MemoryState<M>,
  source: MemorySession,
  request: ForkPointRequest,
): PrefixRecord {
  const asked = askedBoundary(source.record, request);
  const prefix = state.prefix(source, "length" in asked ? asked.length : lengthOf(state, source, asked));
  checkForkBoundary(source.record, request, prefix);
  return prefix;
}

function lengthOf<M>(
  state: MemoryState<M>,
  source: MemorySession,
  asked: { readonly messageId: string } | { readonly turnId: string },
): number {
  const [places, refusal] =
    "messageId" in asked
      ? ([state.places.ofMessage(asked.messageId), "unknown_message"] as const)
      : ([state.places.ofTurn(asked.turnId), "unknown_turn"] as const);
  const position = state.positionIn(source, places);
  if (position === undefined) throw forkBoundary(refusal, { source: source.record, at: null });
  return position + 1;
}

function resetKinds(source: MemorySession, length: number): string[] {
  return [...source.sideState.values()]
    .filter(({ current }) => inheritance(current, length) === "reset")
    .map(({ current }) => current.kind)
    .toSorted();
}

function inheritSideState(source: MemorySession, child: MemorySession): void {
  for (const [kind, box] of source.sideState) {
    const behaviour = inheritance(box.current, child.record.baseLen);
    if (behaviour === "share") putBox(child, kind, box);
    if (behaviour === "copy") putBox(child, kind, { current: box.current });
  }
}

function storedSeat<M>(state: MemoryState<M>, operationId: string): ReturnType<SessionForks<M>["seat"]> {
  const operation = operationOf(state, operationId);
  const session = state.session(operation.child.sessionId).record;
  const member = state.members.get(operation.child.member)!;
  return Promise.resolve(Object.freeze({ operation, session, member, replayed: true }));
}
