import { canonicalJson, untilAborted, type JsonObject } from "@basis/core";
import {
  isSessionError,
  type Claim,
  type ForkOperation,
  type ForkSeat,
  type ForkSeatRequest,
} from "@mobkit/session";
import { encodeAlias } from "./alias.ts";
import { keepClaim, type ClaimKeeper } from "./claim-keeper.ts";
import { failureText } from "./failure-text.ts";
import type { ForkContext } from "./fork-context.ts";
import { ForkError } from "./fork-error.ts";
import type { Provisioned } from "./fork-ports.ts";
import { toForkResult, type ForkResult } from "./fork-result.ts";
import { isRefusal } from "./store-refusal.ts";
import { isCacheReset, toProvisionRequest } from "./stored-request.ts";

/** A committed operation, the claim to it, and the signal that its work runs under, if any. */
export interface SeatJob<M> {
  readonly operation: ForkOperation<M>;
  readonly claim: Claim;
  readonly running: AbortSignal | undefined;
  readonly replayed: boolean;
}

/**
 * Provisions a committed child and seats it. The claim is renewed meanwhile and let go when that fails.
 *
 * @throws ForkError `fork_member_provision_failed`, or `fork_operation_closed` when it was abandoned meanwhile.
 */
export async function seatFork<M>(context: ForkContext<M>, job: SeatJob<M>): Promise<ForkResult> {
  const { clock, operations } = context;
  const keeper = keepClaim(operations, job.claim, { clock, running: job.running });
  try {
    const answer = await provision(context, job, keeper);
    const { operation } = await seat(context, job, answer);
    const { capabilities } = context.store;
    return toForkResult(operation, { replayed: job.replayed, capabilities });
  } catch (error) {
    await letGo(context, job.claim, failureText(error));
    throw seatFailure(job.operation, error);
  } finally {
    keeper.stop();
  }
}

/** Asks the provisioner, and takes down what it builds after nobody waits for it any more. */
async function provision<M>(
  context: ForkContext<M>,
  job: SeatJob<M>,
  keeper: ClaimKeeper,
): Promise<Provisioned> {
  const { running } = job;
  running?.throwIfAborted();
  const request = toProvisionRequest(job.operation, job.claim.epoch);
  // A signal costs more than the rest of a provisioner that answers at once: it is made when it is looked at.
  const options = {
    get signal() {
      return keeper.signal;
    },
  };
  const work = Promise.resolve(context.provisioner.provision(request, options));
  try {
    return (await settlesSoon(work)) ? await work : await untilAborted(keeper.signal, () => work);
  } catch (error) {
    work.then(() => tearDown(context, job)).catch(() => undefined);
    throw error;
  }
}

/** True when work ends within a few microtasks. */
function settlesSoon(work: Promise<unknown>): Promise<boolean> {
  const nothing = (): void => undefined;
  const soon = Promise.resolve()
    .then(nothing)
    .then(nothing)
    .then(() => false);
  const yes = (): boolean => true;
  return Promise.race([work.then(yes, yes), soon]);
}

/** One transaction; asked again once when the store cannot say whether it wrote, since the claim makes it safe. */
async function seat<M>(context: ForkContext<M>, job: SeatJob<M>, answer: Provisioned): Promise<ForkSeat<M>> {
  const request = { claim: job.claim, ...readAnswer(job.operation, answer) };
  try {
    return await context.store.forks.seat(request);
  } catch (error) {
    if (isRefusal(error)) {
      await tearDown(context, job);
      throw error;
    }
    return context.store.forks.seat(request);
  }
}

/** What the ledger keeps of an answer. A verdict that is no JSON cannot be kept, and fails no fork; none is unresolved. */
function readAnswer(
  operation: ForkOperation<unknown>,
  answer: Provisioned | undefined,
): Pick<ForkSeatRequest, "agentIdentity" | "provision"> {
  const agentIdentity = answer?.agentIdentity ?? encodeAlias(operation.child.member);
  const given = answer?.cacheInheritance;
  const verdict = given === undefined || isCacheReset(operation) ? undefined : asJson(given);
  return verdict === undefined
    ? { agentIdentity }
    : { agentIdentity, provision: { cacheInheritance: verdict } };
}

function asJson(value: unknown): JsonObject | undefined {
  try {
    return JSON.parse(canonicalJson(value)) as JsonObject;
  } catch {
    return undefined;
  }
}

/** What it throws, at once or later, hides nothing. */
async function tearDown<M>(context: ForkContext<M>, { operation, claim }: SeatJob<M>): Promise<void> {
  const built = { operationId: operation.id, sessionId: operation.child.sessionId, epoch: claim.epoch };
  try {
    await context.provisioner.tearDown?.(built);
  } catch {
    // The fork's own outcome is what the caller learns.
  }
}

/** Frees the claim, so that a resume need not wait for its expiry. A store that is away keeps it until then. */
export async function letGo<M>(context: ForkContext<M>, claim: Claim, reason: string): Promise<void> {
  await context.operations.fail(claim, { reason }).catch(() => undefined);
}

function seatFailure(operation: ForkOperation<unknown>, error: unknown): ForkError {
  if (isSessionError(error, "operation_closed") && error.details.state === "abandoned") {
    return operationClosed(operation, "abandoned", error);
  }
  const reason = failureText(error);
  const { id: operationId, child } = operation;
  return new ForkError(
    "fork_member_provision_failed",
    `member ${JSON.stringify(child.member)} was forked into session ${child.sessionId}, but not seated: ${reason}`,
    {
      details: { memberId: child.member, forkSessionId: child.sessionId, operationId, reason },
      cause: error,
    },
  );
}

/** The refusal of a step that a final state rules out. */
export function operationClosed(
  operation: Pick<ForkOperation<unknown>, "id" | "child">,
  state: "seated" | "abandoned",
  cause?: unknown,
): ForkError<"fork_operation_closed"> {
  return new ForkError("fork_operation_closed", `fork operation ${operation.id} is ${state}`, {
    details: { operationId: operation.id, forkSessionId: operation.child.sessionId, state },
    cause,
  });
}
