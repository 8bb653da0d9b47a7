import { newId } from "@basis/core";
import { isSessionError, type Claim, type ForkOperation } from "@mobkit/session";
import { refuseOwnedName, refuseUnknownRole } from "./child-checks.ts";
import { claimFork } from "./claim-fork.ts";
import { endedBy, type CallDeadline } from "./deadline.ts";
import type { ForkContext } from "./fork-context.ts";
import { readForkTarget, type ForkTarget } from "./fork-target.ts";
import { readChildName, readRole } from "./fork-request.ts";
import type { ForkResult } from "./fork-result.ts";
import type { IdentityAuthority } from "./identity-authority.ts";
import { checkFields, RESUME_FIELDS } from "./request-fields.ts";
import { letGo, seatFork } from "./seat-fork.ts";
import { toAmendedRequest } from "./stored-request.ts";
import { memberExists } from "./store-refusal.ts";

/** What a resume may change, and how it waits. */
export interface ResumeForkOptions {
  /** Another name for the child. */
  readonly identity?: string;
  /** Another role for the child. */
  readonly role?: string;
  /** Another model for the child, `provider/id`. */
  readonly model?: string;
  readonly identityAuthority?: IdentityAuthority;
  readonly signal?: AbortSignal;
  readonly deadlineMs?: number;
}

/** A checked resume. */
export interface ResumeCall {
  readonly target: ForkTarget;
  readonly member: string | undefined;
  readonly role: string | undefined;
  readonly model: string | undefined;
  readonly authority: IdentityAuthority | undefined;
}

/**
 * Checks a resume without IO.
 *
 * @throws ForkError `invalid_request`.
 */
export function readResumeCall<M>(
  context: ForkContext<M>,
  target: ForkTarget,
  options: ResumeForkOptions,
): ResumeCall {
  checkFields("options", options, RESUME_FIELDS);
  const { identity, role, model } = options;
  return {
    target: readForkTarget(target),
    member: identity === undefined ? undefined : readChildName(identity),
    role: role === undefined ? undefined : readRole(role),
    model,
    authority: options.identityAuthority ?? context.identityAuthority,
  };
}

/** Brings a committed fork to its seat, from the operation on. Rejects with a ForkError, whatever a port throws. */
export async function resumeFork<M>(
  context: ForkContext<M>,
  work: { readonly call: ResumeCall; readonly operation: ForkOperation<M> },
  deadline: CallDeadline,
): Promise<ForkResult> {
  try {
    deadline.waiting.throwIfAborted();
    return await underNames(context, work, deadline);
  } catch (error) {
    throw endedBy(deadline.waiting, error, "resume");
  }
}

async function underNames<M>(
  context: ForkContext<M>,
  { call, operation }: { readonly call: ResumeCall; readonly operation: ForkOperation<M> },
  deadline: CallDeadline,
): Promise<ForkResult> {
  const signal = deadline.waiting;
  if (operation.state === "committed") await checkChange(context, call, signal);
  const reservation = context.reservations.open();
  try {
    const names = [operation.child.member, call.member ?? operation.child.member];
    await reservation.take("name", names, signal);
    const owner = `resume:${newId(context.clock.now())}`;
    const claimed = await claimFork(context, operation, { owner, signal });
    if (claimed.state === "seated") return claimed.result;
    const { claim } = claimed;
    const amended = await amend(context, { call, operation: claimed.operation }, claim);
    return await seatFork(context, { operation: amended, claim, running: deadline.running, replayed: false });
  } finally {
    reservation.release();
  }
}

async function checkChange<M>(context: ForkContext<M>, call: ResumeCall, signal: AbortSignal): Promise<void> {
  const { member, role, authority } = call;
  if (member !== undefined) await refuseOwnedName({ authority, child: member, signal }, "request");
  if (role !== undefined) await refuseUnknownRole(context.provisioner, role, signal);
}

/** Renames or re-roles the child as asked; a change that is refused lets the claim go. */
async function amend<M>(
  context: ForkContext<M>,
  { call, operation }: { readonly call: ResumeCall; readonly operation: ForkOperation<M> },
  claim: Claim,
): Promise<ForkOperation<M>> {
  const { member = operation.child.member, role = operation.child.role, model } = call;
  const retargeted = role !== operation.child.role || model !== undefined;
  if (member === operation.child.member && !retargeted) return operation;
  const request = retargeted ? toAmendedRequest(operation.request, { role, model }) : operation.request;
  try {
    return await context.operations.amend(claim, { member, role, request });
  } catch (error) {
    await letGo(context, claim, "the asked change was refused");
    if (!isSessionError(error, "member_already_exists")) throw error;
    throw memberExists(member, error.details.holder, { cause: error, committed: true });
  }
}
