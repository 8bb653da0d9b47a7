import type { ForkOperation } from "@mobkit/session";
import { endedBy } from "./deadline.ts";
import type { ForkContext } from "./fork-context.ts";
import { ForkError } from "./fork-error.ts";
import { checkFields, TARGET_FIELDS } from "./request-fields.ts";

/** A fork by its operation or by the child's session; both ids come with the provision failure. */
export type ForkTarget = { readonly operationId: string } | { readonly sessionId: string };

/**
 * Checks that exactly one id is given; one that is undefined counts as absent.
 *
 * @throws ForkError `invalid_request`.
 */
export function readForkTarget(target: ForkTarget): ForkTarget {
  checkFields("target", target, TARGET_FIELDS);
  const { operationId, sessionId } = target as { operationId?: string; sessionId?: string };
  if (operationId !== undefined && sessionId === undefined) return { operationId };
  if (operationId === undefined && sessionId !== undefined) return { sessionId };
  throw new ForkError("invalid_request", "a fork is named by operationId or by sessionId", {
    details: { reason: "wrong_type", field: "target" },
  });
}

/**
 * The operation that a target names.
 *
 * @throws ForkError `fork_operation_not_found`, `fork_unavailable`.
 */
export async function findOperation<M>(
  context: ForkContext<M>,
  target: ForkTarget,
  call: { readonly signal: AbortSignal | undefined; readonly stage: "read" | "resume" },
): Promise<ForkOperation<M>> {
  const operation = await lookUp(context, target, call.signal).catch((error: unknown) => {
    throw endedBy(call.signal, error, call.stage);
  });
  if (operation !== undefined) return operation;
  const named = Object.values(target).join("");
  throw new ForkError("fork_operation_not_found", `there is no fork ${JSON.stringify(named)}`, {
    details: { ...target },
  });
}

async function lookUp<M>(
  { operations }: ForkContext<M>,
  target: ForkTarget,
  signal: AbortSignal | undefined,
): Promise<ForkOperation<M> | undefined> {
  if ("operationId" in target) return operations.get(target.operationId, { signal });
  return operations.ofSession(target.sessionId, { signal });
}
