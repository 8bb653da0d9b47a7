import { planAcquire, planRelease, planRenew } from "../lease-rules.ts";
import { SessionError } from "../session-error.ts";
import { isSameCreation, planCreate, planState, type CreatePlan } from "../session-plan.ts";
import type { ImmediateStore } from "../at-once.ts";
import { pageOf } from "./memory-page.ts";
import { checkLease } from "../write-checks.ts";
import { memorySession } from "./memory-session.ts";
import type { MemoryState } from "./memory-state.ts";

type Sessions<M> = Pick<
  ImmediateStore<M, undefined>,
  "createSession" | "head" | "listSessions" | "setState" | "acquireLease" | "renewLease" | "releaseLease"
>;

/** Sessions as such: created, listed, moved between states, leased. */
export function memorySessions<M>(state: MemoryState<M>): Sessions<M> {
  return {
    createSession(request) {
      state.enter(request.signal);
      const plan = planCreate(request, state.clock.now());
      const found = state.sessions.get(plan.session.id);
      if (found !== undefined) return sameOrRefuse(state, plan);
      state.checkNameFree(plan.member.member);
      state.sessions.set(plan.session.id, memorySession(plan.session, []));
      state.members.set(plan.member.member, plan.member);
      return plan.session;
    },
    head(sessionId, options) {
      state.enter(options?.signal);
      return state.session(sessionId).record;
    },
    listSessions(request) {
      state.enter(request?.signal);
      const wanted = request?.state;
      const records = [...state.sessions.values()]
        .map(({ record }) => record)
        .filter((record) => (wanted === undefined ? record.state !== "tombstone" : record.state === wanted));
      return pageOf(records, (record) => record.id, request);
    },
    setState(sessionId, request) {
      state.enter(request.signal);
      const session = state.session(sessionId);
      const next = planState(session.record, request.state, state.clock.now());
      if (next === undefined) return session.record;
      if (next.binding === null && session.record.binding !== null) {
        state.members.delete(session.record.binding.member);
      }
      session.record = next;
      return next;
    },
    ...memoryLeases(state),
  };
}

function memoryLeases<M>(
  state: MemoryState<M>,
): Pick<ImmediateStore<M, undefined>, "acquireLease" | "renewLease" | "releaseLease"> {
  return {
    acquireLease(sessionId, request) {
      state.enter(request.signal);
      const session = state.session(sessionId);
      const step = planAcquire(session.record, request, state.clock.now());
      session.record = step.session;
      return step.lease;
    },
    renewLease(lease, options) {
      state.enter(options?.signal);
      checkLease(lease);
      const session = state.session(lease.sessionId);
      const step = planRenew(session.record, lease, { now: state.clock.now(), ttlMs: options?.ttlMs });
      session.record = step.session;
      return step.lease;
    },
    releaseLease(lease, options) {
      state.enter(options?.signal);
      checkLease(lease);
      const session = state.session(lease.sessionId);
      const released = planRelease(session.record, lease);
      if (released !== undefined) session.record = released;
      return released !== undefined;
    },
  };
}

function sameOrRefuse<M>(state: MemoryState<M>, plan: CreatePlan): CreatePlan["session"] {
  const sessionId = plan.session.id;
  const session = state.session(sessionId).record;
  const member = state.members.get(plan.member.member);
  if (member !== undefined && isSameCreation({ session, member }, plan)) return session;
  throw new SessionError("session_exists", `there is a session ${sessionId} with other contents`, {
    details: { sessionId },
  });
}
