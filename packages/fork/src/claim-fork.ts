import { isSessionError, type Claim, type ForkOperation } from "@mobkit/session";
import type { ForkContext } from "./fork-context.ts";
import { ForkError } from "./fork-error.ts";
import { toForkResult, type ForkResult } from "./fork-result.ts";
import { operationClosed } from "./seat-fork.ts";

/** What claiming an operation answers: the right to go on, or that its child is seated already. */
export type ClaimedFork<M> =
  | { readonly state: "claimed"; readonly operation: ForkOperation<M>; readonly claim: Claim }
  | { readonly state: "seated"; readonly result: ForkResult };

/**
 * Takes the claim of an operation that is committed and unseated. A seated one is answered: nothing is left to do.
 *
 * @throws ForkError `fork_in_progress` while somebody else has the claim, `fork_operation_closed` when abandoned.
 */
export async function claimFork<M>(
  context: ForkContext<M>,
  operation: ForkOperation<M>,
  call: { readonly owner: string; readonly signal: AbortSignal },
): Promise<ClaimedFork<M>> {
  const { id } = operation;
  if (operation.state !== "committed") return closedFork(context, operation);
  try {
    const claim = await context.operations.claim({ operationId: id, ttlMs: context.claimTtlMs, ...call });
    const claimed = (await context.operations.get(id)) ?? operation;
    return { state: "claimed", operation: claimed, claim };
  } catch (error) {
    if (isSessionError(error, "claim_held")) throw inProgress(operation, error);
    if (!isSessionError(error, "operation_closed")) throw error;
    return closedFork(context, (await context.operations.get(id)) ?? operation);
  }
}

function closedFork<M>(context: ForkContext<M>, operation: ForkOperation<M>): ClaimedFork<M> {
  if (operation.state !== "seated") throw operationClosed(operation, "abandoned");
  const { capabilities } = context.store;
  return { state: "seated", result: toForkResult(operation, { replayed: true, capabilities }) };
}

/** The refusal of an operation that somebody else is at. */
export function inProgress(
  operation: Pick<ForkOperation<unknown>, "id" | "child">,
  cause?: unknown,
): ForkError<"fork_in_progress"> {
  return new ForkError("fork_in_progress", `fork operation ${operation.id} is being provisioned`, {
    details: { operationId: operation.id, forkSessionId: operation.child.sessionId },
    cause,
  });
}
