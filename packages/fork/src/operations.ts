import { isSessionError, type ForkOperationState, type Page } from "@mobkit/session";
import { inProgress } from "./claim-fork.ts";
import { endedBy } from "./deadline.ts";
import type { ForkContext } from "./fork-context.ts";
import { toForkStatus, type ForkStatus } from "./fork-result.ts";
import { findOperation, readForkTarget, type ForkTarget } from "./fork-target.ts";
import { CALL_FIELDS, checkFields, LIST_FIELDS } from "./request-fields.ts";
import { operationClosed } from "./seat-fork.ts";

/** Options of a call that only waits. */
export interface ForkCallOptions {
  readonly signal?: AbortSignal;
}

/** Which forks to list; the ledger is read a page at a time. */
export interface ListForksOptions extends ForkCallOptions {
  /** `committed`: the child exists and is not seated. Default: every state. */
  readonly state?: ForkOperationState;
  /** The `next` of the page before. */
  readonly after?: string;
  /** 1 to 1,000. Default 100. */
  readonly limit?: number;
}

/** Reads one operation. Rejects with `fork_operation_not_found` for one that is unknown. */
export async function forkStatus<M>(
  context: ForkContext<M>,
  target: ForkTarget,
  options: ForkCallOptions,
): Promise<ForkStatus> {
  checkFields("options", options, CALL_FIELDS);
  const { signal } = options;
  return toForkStatus(await findOperation(context, readForkTarget(target), { signal, stage: "read" }));
}

/** Reads a page of operations, oldest first. Changes nothing: what is found unseated is the caller's to resume. */
export async function listForks<M>(
  context: ForkContext<M>,
  options: ListForksOptions,
): Promise<Page<ForkStatus>> {
  checkFields("options", options, LIST_FIELDS);
  try {
    const page = await context.operations.list(options);
    return { items: page.items.map(toForkStatus), next: page.next };
  } catch (error) {
    throw endedBy(options.signal, error, "read");
  }
}

/**
 * Gives a committed fork up: its child is deleted and its name free. Again is no change.
 * Rejects with `fork_in_progress` while somebody provisions it, and `fork_operation_closed` once it is seated.
 */
export async function abandonFork<M>(
  context: ForkContext<M>,
  target: ForkTarget,
  options: ForkCallOptions,
): Promise<ForkStatus> {
  checkFields("options", options, CALL_FIELDS);
  const { signal } = options;
  const operation = await findOperation(context, readForkTarget(target), { signal, stage: "resume" });
  try {
    return toForkStatus(await context.store.forks.abandon({ operationId: operation.id, signal }));
  } catch (error) {
    if (isSessionError(error, "claim_held")) throw inProgress(operation, error);
    if (isSessionError(error, "operation_closed")) throw operationClosed(operation, "seated", error);
    throw endedBy(signal, error, "resume");
  }
}
