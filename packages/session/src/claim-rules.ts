import type { ClaimRequest, ForkAmendment, ForkOperation } from "./fork-operation.ts";
import type { Claim } from "./lease.ts";
import { nextOperation } from "./next-operation.ts";
import { checkLabels, checkName, checkTtl, keepJson } from "./request-checks.ts";
import { SessionError } from "./session-error.ts";

/** A claim step: the operation to store and the claim to hand out. */
export interface ClaimStep<M> {
  readonly operation: ForkOperation<M>;
  readonly claim: Claim;
}

/** Takes a free or expired claim. Pure. @throws SessionError `operation_closed`, `claim_held`, `invalid_request`. */
export function planClaim<M>(
  operation: ForkOperation<M>,
  request: Pick<ClaimRequest, "owner" | "ttlMs">,
  now: number,
): ClaimStep<M> {
  const owner = checkName("owner", request.owner);
  const ttlMs = checkTtl(request.ttlMs);
  if (operation.state !== "committed") throw operationClosed(operation, operation.state);
  checkNotHeld(operation, now);
  return stepOf(operation, { owner, epoch: operation.claim.epoch + 1, now, ttlMs });
}

/** Moves a claim's expiry. Pure. @throws SessionError `stale_claim`, `operation_closed`, `invalid_request`. */
export function planRenewClaim<M>(
  operation: ForkOperation<M>,
  claim: Claim,
  moment: { readonly now: number; readonly ttlMs?: number | undefined },
): ClaimStep<M> {
  const ttlMs = checkTtl(moment.ttlMs ?? claim.ttlMs);
  checkClaim(operation, claim);
  return stepOf(operation, { owner: claim.owner, epoch: claim.epoch, now: moment.now, ttlMs });
}

/** Notes a failure and frees the claim. Pure. @throws SessionError `stale_claim`, `operation_closed`. */
export function planFail<M>(
  operation: ForkOperation<M>,
  claim: Claim,
  failure: { readonly reason: string; readonly now: number },
): ForkOperation<M> {
  checkClaim(operation, claim);
  return nextOperation(operation, {
    claim: freeClaim(operation.claim.epoch),
    failure: Object.freeze({ reason: failure.reason, at: failure.now }),
    updatedAt: failure.now,
  });
}

/** Changes the child before its seat. Pure. @throws SessionError `stale_claim`, `operation_closed`, `invalid_request`. */
export function planAmend<M>(
  operation: ForkOperation<M>,
  claim: Claim,
  amendment: ForkAmendment & { readonly now: number },
): ForkOperation<M> {
  checkClaim(operation, claim);
  const { child } = operation;
  return Object.freeze({
    ...operation,
    child: Object.freeze({
      ...child,
      member: checkName("member", amendment.member ?? child.member),
      role: checkName("role", amendment.role ?? child.role),
      labels: checkLabels(amendment.labels ?? child.labels),
    }),
    request: keepJson("request", amendment.request ?? operation.request),
    updatedAt: amendment.now,
  });
}

/** Refuses a claim that isn't the one in force. @throws SessionError `operation_closed`, `stale_claim`. */
export function checkClaim<M>(operation: ForkOperation<M>, claim: Claim): void {
  if (operation.state === "abandoned") throw operationClosed(operation, operation.state);
  if (claim.epoch !== operation.claim.epoch || operation.claim.owner !== claim.owner) {
    throw staleClaim(operation, claim);
  }
  if (operation.state === "seated") throw operationClosed(operation, operation.state);
}

/** Refuses while a claim is held and not expired. @throws SessionError `claim_held`. */
export function checkNotHeld<M>(operation: ForkOperation<M>, now: number): void {
  const { owner, expiresAt } = operation.claim;
  if (owner === null || expiresAt === null || expiresAt <= now) return;
  throw new SessionError("claim_held", `operation ${operation.id} is being provisioned by ${owner}`, {
    details: { operationId: operation.id, owner, expiresAt },
  });
}

/** The refusal of a step that a final operation can't take. */
export function operationClosed<M>(
  operation: ForkOperation<M>,
  state: "seated" | "abandoned",
): SessionError<"operation_closed"> {
  return new SessionError("operation_closed", `operation ${operation.id} is ${state}`, {
    details: { operationId: operation.id, state },
  });
}

/** The refusal of an id that the ledger doesn't know. */
export function unknownOperation(operationId: string): SessionError<"unknown_operation"> {
  return new SessionError("unknown_operation", `there is no operation ${operationId}`, {
    details: { operationId },
  });
}

/** A claim that nobody holds. */
export function freeClaim(epoch: number): ForkOperation<never>["claim"] {
  return Object.freeze({ epoch, owner: null, expiresAt: null });
}

/** The refusal of a claim that another one has replaced. */
export function staleClaim<M>(operation: ForkOperation<M>, claim: Claim): SessionError<"stale_claim"> {
  const { epoch } = claim;
  const current = operation.claim.epoch;
  return new SessionError(
    "stale_claim",
    `the claim on operation ${operation.id} is of epoch ${epoch}; the operation is at ${current}`,
    { details: { operationId: operation.id, epoch, current } },
  );
}

function stepOf<M>(
  operation: ForkOperation<M>,
  terms: { readonly owner: string; readonly epoch: number; readonly now: number; readonly ttlMs: number },
): ClaimStep<M> {
  const { owner, epoch, now, ttlMs } = terms;
  const expiresAt = now + ttlMs;
  return {
    operation: nextOperation(operation, {
      claim: Object.freeze({ epoch, owner, expiresAt }),
      updatedAt: now,
    }),
    claim: Object.freeze({ operationId: operation.id, owner, epoch, expiresAt, ttlMs }),
  };
}
