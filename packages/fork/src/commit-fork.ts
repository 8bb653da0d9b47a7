import type { Claim, ForkCommitRequest, ForkOperation } from "@mobkit/session";
import type { FoundSource } from "./find-source.ts";
import type { ForkContext } from "./fork-context.ts";
import { toPointRequest } from "./fork-point.ts";
import type { ForkRequest } from "./fork-request.ts";
import { commitRefusal, portFailure } from "./store-refusal.ts";
import { toStoredRequest } from "./stored-request.ts";
import { narrowToolAccess, type ToolAccessPolicy } from "./tool-access.ts";

/** A request that is ready to be committed. */
export interface ForkPlan<M> {
  readonly request: ForkRequest;
  readonly requestDigest: string;
  readonly idempotencyKey: string | undefined;
  readonly initialMessage: M | undefined;
  readonly source: FoundSource;
  /** Unique to this call: it tells the call's own commit from another's when the reply is lost. */
  readonly owner: string;
}

/** What a commit leaves; without a claim when the key had been used. */
export interface CommittedFork<M> {
  readonly operation: ForkOperation<M>;
  readonly claim: Claim | null;
}

/**
 * Commits a fork: one transaction of the store, after which the child exists.
 *
 * @throws ForkError as the store refuses; `fork_unavailable` at `commit` when it cannot say whether it wrote.
 */
export async function commitFork<M>(
  context: ForkContext<M>,
  plan: ForkPlan<M>,
  signal: AbortSignal,
): Promise<CommittedFork<M>> {
  try {
    const inherited = await plan.source.toolAccess();
    const policy = narrowToolAccess(inherited, plan.request.toolAccessPolicy);
    const request = toCommitRequest(context, plan, { policy, signal });
    signal.throwIfAborted();
    return await context.store.forks.commit(request);
  } catch (error) {
    if (signal.aborted && error === signal.reason) throw error;
    const refused = commitRefusal(error, plan.request);
    if (refused) throw refused;
    return await findCommitted(context, plan, error);
  }
}

function toCommitRequest<M>(
  context: ForkContext<M>,
  plan: ForkPlan<M>,
  call: { readonly policy: ToolAccessPolicy | undefined; readonly signal: AbortSignal },
): ForkCommitRequest<M> {
  const { request, requestDigest, idempotencyKey, initialMessage, owner } = plan;
  const { member, sessionId } = plan.source.member;
  const point = toPointRequest({ member, sessionId }, request);
  return {
    source: point.source,
    at: point.at,
    expect: point.expect,
    allowEmpty: point.allowEmpty,
    whileRunning: point.whileRunning,
    child: { member: request.child, role: request.role, labels: request.labels },
    initialMessage,
    idempotencyKey,
    requestDigest,
    request: toStoredRequest(request, { member, policy: call.policy }),
    claim: { owner, ttlMs: context.claimTtlMs },
    signal: call.signal,
  };
}

/** Looks whether a commit whose reply was lost took place. */
async function findCommitted<M>(
  context: ForkContext<M>,
  plan: ForkPlan<M>,
  lost: unknown,
): Promise<CommittedFork<M>> {
  try {
    const holder = await context.members.holder(plan.request.child);
    const operation =
      holder?.holder === "reserved" ? await context.operations.get(holder.operationId) : undefined;
    if (operation?.claim.owner === plan.owner) return { operation, claim: ownClaim(context, operation) };
  } catch {
    throw portFailure("commit", lost);
  }
  throw portFailure("read", lost);
}

function ownClaim<M>(context: ForkContext<M>, { id, claim }: ForkOperation<M>): Claim {
  const { epoch, owner, expiresAt } = claim;
  const { claimTtlMs } = context;
  return {
    operationId: id,
    owner: owner ?? "",
    epoch,
    expiresAt: expiresAt ?? context.clock.now() + claimTtlMs,
    ttlMs: claimTtlMs,
  };
}
