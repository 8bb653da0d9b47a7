import { emptyUsage, newId, type JsonObject, type JsonValue } from "@basis/core";
import {
  checkClaim,
  checkNotHeld,
  freeClaim,
  operationClosed,
  planClaim,
  staleClaim,
} from "./claim-rules.ts";
import type { ForkOperation } from "./fork-operation.ts";
import type { Claim } from "./lease.ts";
import type { MemberRecord } from "./member.ts";
import type { NewOutboxEvent } from "./outbox.ts";
import { encodeMessage } from "./prepared-write.ts";
import { decodeBody } from "./message-body.ts";
import { checkLabels, checkName, checkTtl, encodeJson, keepJson } from "./request-checks.ts";
import { SessionError } from "./session-error.ts";
import type { ForkCommitRequest, ForkSeatRequest } from "./session-forks.ts";
import { nextOperation } from "./next-operation.ts";
import { seatedRecord } from "./next-record.ts";
import { blankSession, seatOf } from "./session-plan.ts";
import type { SessionRecord } from "./session-record.ts";
import type { PrefixRecord } from "./transcript-row.ts";
import type { TranscriptShape } from "./transcript-shape.ts";

/** What one fork transaction writes. The source is never written. */
export interface ForkPlan<M> {
  readonly session: SessionRecord;
  readonly operation: ForkOperation<M>;
  readonly claim: Claim;
  readonly event: NewOutboxEvent;
}

/** What a fork's plan is made from: the source and its prefix at a boundary that was checked. */
export interface ForkGround<M> {
  readonly source: SessionRecord;
  readonly prefix: PrefixRecord;
  readonly shape: TranscriptShape<M>;
  readonly now: number;
  /** Of the source's side state, the kinds that the child starts without. */
  readonly sideStateReset: readonly string[];
}

/** Refuses a commit that no store could carry out. @throws SessionError `invalid_request`. */
export function checkCommitRequest<M>(request: ForkCommitRequest<M>): void {
  checkName("source.member", request.source.member);
  checkName("source.sessionId", request.source.sessionId);
  checkName("child.member", request.child.member);
  checkName("child.role", request.child.role);
  checkLabels(request.child.labels);
  checkName("claim.owner", request.claim.owner);
  checkTtl(request.claim.ttlMs);
  checkName("requestDigest", request.requestDigest);
  encodeJson("request", request.request);
  if (request.idempotencyKey !== undefined) checkName("idempotencyKey", request.idempotencyKey);
}

/** Refuses another request under a key that was used. @throws SessionError `idempotency_conflict`. */
export function checkSameRequest<M>(found: ForkOperation<M>, request: ForkCommitRequest<M>): void {
  if (found.requestDigest === request.requestDigest) return;
  const idempotencyKey = request.idempotencyKey ?? "";
  throw new SessionError("idempotency_conflict", `key ${idempotencyKey} was used for another fork`, {
    details: { operationId: found.id, idempotencyKey },
  });
}

/** Lays out a fork whose source, name and boundary were checked. Pure but for the ids. @throws SessionError `invalid_message`. */
export function planFork<M>(request: ForkCommitRequest<M>, ground: ForkGround<M>): ForkPlan<M> {
  const { source, prefix, now } = ground;
  const session = childSession(source, prefix, now);
  const unclaimed: ForkOperation<M> = {
    id: newId(now),
    state: "committed",
    idempotencyKey: request.idempotencyKey ?? null,
    requestDigest: request.requestDigest,
    request: keepJson("request", request.request),
    source: Object.freeze({
      member: request.source.member,
      sessionId: source.id,
      len: prefix.length,
      digest: prefix.digest,
    }),
    child: Object.freeze({
      member: request.child.member,
      role: request.child.role,
      labels: checkLabels(request.child.labels),
      sessionId: session.id,
    }),
    initialMessage: keptMessage(ground.shape, request.initialMessage),
    sideStateReset: Object.freeze([...ground.sideStateReset]),
    claim: freeClaim(0),
    failure: null,
    agentIdentity: null,
    provision: null,
    createdAt: now,
    updatedAt: now,
  };
  const { operation, claim } = planClaim(unclaimed, request.claim, now);
  return { session, operation, claim, event: forkEvent("committed", operation) };
}

/** What a seat writes. */
export interface SeatPlan<M> {
  readonly operation: ForkOperation<M>;
  readonly session: SessionRecord;
  readonly member: MemberRecord;
  /** `fork.seated`, and `session.input` when there is an initial message. */
  readonly events: readonly NewOutboxEvent[];
}

/**
 * Seats a committed fork; undefined when the same claim has done so before. Pure.
 * @throws SessionError `stale_claim`, `operation_closed`, `invalid_request`.
 */
export function planSeat<M>(
  found: { readonly operation: ForkOperation<M>; readonly session: SessionRecord },
  request: ForkSeatRequest,
  now: number,
): SeatPlan<M> | undefined {
  if (isSeatedBy(found.operation, request.claim)) return undefined;
  checkClaim(found.operation, request.claim);
  const { child, id, initialMessage } = found.operation;
  const agentIdentity =
    request.agentIdentity === undefined ? null : checkName("agentIdentity", request.agentIdentity);
  const { epoch, owner } = found.operation.claim;
  const operation = nextOperation(found.operation, {
    state: "seated",
    claim: Object.freeze({ epoch, owner, expiresAt: null }),
    failure: null,
    agentIdentity,
    provision: keepJson("provision", request.provision ?? null),
    updatedAt: now,
  });
  const session = seatedRecord(found.session, {
    binding: Object.freeze({ member: child.member }),
    queuedInputs: initialMessage === null ? 0 : 1,
    updatedAt: now,
  });
  const { member: name, role, labels, sessionId } = child;
  const member = seatOf({ member: name, role, labels, sessionId, now, agentIdentity, operationId: id });
  const seated = forkEvent("seated", operation);
  return { operation, session, member, events: [seated, ...inputEvents(operation)] };
}

/** What giving a fork up writes. */
export interface AbandonPlan<M> {
  readonly operation: ForkOperation<M>;
  readonly session: SessionRecord;
  readonly event: NewOutboxEvent;
}

/**
 * Gives a committed fork up; undefined when that was done before. Pure.
 * @throws SessionError `operation_closed` (seated), `stale_claim`, `claim_held`.
 */
export function planAbandon<M>(
  found: { readonly operation: ForkOperation<M>; readonly session: SessionRecord },
  claim: Claim | undefined,
  now: number,
): AbandonPlan<M> | undefined {
  if (found.operation.state === "abandoned") return undefined;
  if (found.operation.state === "seated") throw operationClosed(found.operation, "seated");
  if (claim === undefined) checkNotHeld(found.operation, now);
  else checkClaim(found.operation, claim);
  const claimed = freeClaim(found.operation.claim.epoch + 1);
  const operation = nextOperation(found.operation, { state: "abandoned", claim: claimed, updatedAt: now });
  const session: SessionRecord = Object.freeze({ ...found.session, state: "tombstone", updatedAt: now });
  return { operation, session, event: forkEvent("abandoned", operation) };
}

function childSession(source: SessionRecord, prefix: PrefixRecord, now: number): SessionRecord {
  const { length, digest } = prefix;
  return Object.freeze({
    ...blankSession(newId(now), now),
    baseLen: length,
    len: length,
    settledLen: length,
    nextSeq: length,
    headDigest: digest,
    requestHead: source.requestHead,
    usage: Object.freeze({ own: emptyUsage, inherited: prefix.usage }),
    parent: Object.freeze({ sessionId: source.id, len: length, digest }),
  });
}

function keptMessage<M>(shape: TranscriptShape<M>, message: M | undefined): M | null {
  return message === undefined ? null : (decodeBody(encodeMessage(shape, message).text) as M);
}

function isSeatedBy<M>(operation: ForkOperation<M>, claim: Claim): boolean {
  if (operation.state !== "seated") return false;
  if (operation.claim.epoch !== claim.epoch) throw staleClaim(operation, claim);
  return true;
}

/** What of an operation its events tell. */
export interface ForkEventFacts {
  readonly id: string;
  readonly source: Pick<ForkOperation<unknown>["source"], "member" | "sessionId" | "len">;
  readonly child: Pick<ForkOperation<unknown>["child"], "member" | "sessionId">;
}

function forkEvent<M>(
  state: "committed" | "seated" | "abandoned",
  operation: ForkOperation<M>,
): NewOutboxEvent {
  return {
    key: `fork-${state}:${operation.id}`,
    kind: `fork.${state}`,
    payload: forkEventPayload(operation),
  };
}

/** What every event of a fork itself tells. */
export function forkEventPayload({ id, source, child }: ForkEventFacts): JsonObject {
  return {
    operationId: id,
    sourceMember: source.member,
    sourceSessionId: source.sessionId,
    member: child.member,
    sessionId: child.sessionId,
    len: source.len,
  };
}

function inputEvents<M>(operation: ForkOperation<M>): NewOutboxEvent[] {
  const { id, initialMessage } = operation;
  if (initialMessage === null) return [];
  const payload = { operationId: id, message: initialMessage as JsonValue };
  return [{ key: `fork-input:${id}`, kind: "session.input", payload }];
}
