import { emptyUsage, newId } from "@basis/core";
import { noCalls } from "./append-rules.ts";
import type { Labels, MemberRecord } from "./member.ts";
import { checkLabels, checkName, invalidRequest } from "./request-checks.ts";
import { emptyDigest } from "./row-digest.ts";
import type { SessionRecord, SessionState, SpawnedBy } from "./session-record.ts";
import { sessionUnavailable } from "./session-unavailable.ts";
import type { CreateSessionRequest } from "./store.ts";

/** A session to create and the member to seat on it. */
export interface CreatePlan {
  readonly session: SessionRecord;
  readonly member: MemberRecord;
}

/** An empty session, ready, with its member. Pure but for the id. @throws SessionError `invalid_request`. */
export function planCreate(request: CreateSessionRequest, now: number): CreatePlan {
  const member = checkName("member", request.member);
  const role = checkName("role", request.role);
  const id = request.id === undefined ? newId(now) : checkName("id", request.id);
  const spawnedBy = checkSpawnedBy(request.spawnedBy);
  const binding = Object.freeze({ member });
  const session = Object.freeze(blankSession(id, now, { state: "ready", binding, spawnedBy }));
  return { session, member: seatOf({ member, role, labels: request.labels, sessionId: id, now }) };
}

/** What every session begins with; one of each for all. */
const NO_LEASE: SessionRecord["lease"] = Object.freeze({ epoch: 0, owner: null, expiresAt: null });
const NO_USAGE: SessionRecord["usage"] = Object.freeze({ own: emptyUsage, inherited: emptyUsage });

/** A session with nothing in it, pending unless it is said otherwise. */
export function blankSession(
  id: string,
  now: number,
  begun: Partial<Pick<SessionRecord, "state" | "binding" | "spawnedBy">> = {},
): SessionRecord {
  const { state = "pending", binding = null, spawnedBy = null } = begun;
  return {
    id,
    state,
    binding,
    baseLen: 0,
    len: 0,
    settledLen: 0,
    openCalls: noCalls,
    nextSeq: 0,
    rev: 0,
    headDigest: emptyDigest,
    runTurn: null,
    queuedInputs: 0,
    pendingApprovals: 0,
    lease: NO_LEASE,
    requestHead: null,
    usage: NO_USAGE,
    parent: null,
    spawnedBy,
    createdAt: now,
    updatedAt: now,
  };
}

/** True when a session that exists is what the request would have created. */
export function isSameCreation(found: CreatePlan, planned: CreatePlan): boolean {
  const { member, role, labels } = found.member;
  return (
    found.session.binding?.member === planned.member.member &&
    member === planned.member.member &&
    role === planned.member.role &&
    JSON.stringify(labels) === JSON.stringify(planned.member.labels)
  );
}

/**
 * Moves a session to another state; undefined when it is there already. Pure.
 * Leaving `ready` makes the lease stale; a tombstone loses its binding.
 * @throws SessionError `session_unavailable`, `invalid_request`.
 */
export function planState(
  session: SessionRecord,
  state: Exclude<SessionState, "pending">,
  now: number,
): SessionRecord | undefined {
  if (!STATES.has(state)) throw invalidRequest("state", "is none of ready, archived, quarantined, tombstone");
  if (session.state === state) return undefined;
  if (session.state === "pending" || session.state === "tombstone") throw sessionUnavailable(session);
  const epoch = state === "ready" ? session.lease.epoch : session.lease.epoch + 1;
  return Object.freeze({
    ...session,
    state,
    binding: state === "tombstone" ? null : session.binding,
    lease: Object.freeze({ epoch, owner: null, expiresAt: null }),
    updatedAt: now,
  });
}

const STATES: ReadonlySet<string> = new Set(["ready", "archived", "quarantined", "tombstone"]);

/** What a seat is made from. */
export interface SeatFacts {
  readonly member: string;
  readonly role: string;
  readonly labels: Labels | undefined;
  readonly sessionId: string;
  readonly now: number;
  readonly agentIdentity?: string | null;
  readonly operationId?: string | null;
}

/** A seated member's record. */
export function seatOf(facts: SeatFacts): MemberRecord {
  const { member, role, sessionId, agentIdentity = null, operationId = null } = facts;
  const labels = checkLabels(facts.labels);
  return Object.freeze({
    member,
    sessionId,
    role,
    labels,
    agentIdentity,
    operationId,
    seatedAt: facts.now,
  });
}

function checkSpawnedBy(spawnedBy: SpawnedBy | undefined): SpawnedBy | null {
  if (spawnedBy === undefined) return null;
  return Object.freeze({
    sessionId: checkName("spawnedBy.sessionId", spawnedBy.sessionId),
    runId: checkName("spawnedBy.runId", spawnedBy.runId),
    callId: checkName("spawnedBy.callId", spawnedBy.callId),
  });
}
