import { newId } from "@basis/core";
import type { ForkOperation } from "@mobkit/session";
import { claimFork } from "./claim-fork.ts";
import { commitFork, type ForkPlan } from "./commit-fork.ts";
import { endedBy, openDeadline, type CallDeadline } from "./deadline.ts";
import type { ForkContext } from "./fork-context.ts";
import { ForkError } from "./fork-error.ts";
import {
  digestForkRequest,
  readForkRequest,
  type ForkMemberOptions,
  type ForkMemberSpec,
  type ForkRequest,
} from "./fork-request.ts";
import type { ForkResult } from "./fork-result.ts";
import type { IdentityAuthority } from "./identity-authority.ts";
import { readInitialMessage } from "./initial-message.ts";
import { refuseOwnedName, refuseUnknownRole } from "./child-checks.ts";
import { seatFork } from "./seat-fork.ts";
import { lookUpSource, type FoundSource } from "./find-source.ts";
import { pinSource, type SourcePin } from "./source-pin.ts";
import { conflictText, memberExists, memberNotFound } from "./store-refusal.ts";

/** A checked call. */
export interface ForkCall<M> {
  readonly request: ForkRequest;
  readonly requestDigest: string;
  readonly idempotencyKey: string | undefined;
  readonly initialMessage: M | undefined;
  readonly authority: IdentityAuthority | undefined;
  readonly owner: string;
}

/** In place of the digest where no key comes again to be compared. */
const withoutKey = "none";

/**
 * Checks a call without IO.
 *
 * @throws ForkError `invalid_request`.
 */
export function readForkCall<M>(
  context: ForkContext<M>,
  source: string,
  rest: { readonly spec: ForkMemberSpec<M>; readonly options: ForkMemberOptions },
): ForkCall<M> {
  const { spec, options } = rest;
  const request = readForkRequest(source, spec, options);
  return {
    request,
    requestDigest: options.idempotencyKey === undefined ? withoutKey : digestForkRequest(request),
    idempotencyKey: options.idempotencyKey,
    initialMessage: readInitialMessage(context.store.shape, request.initialMessage),
    authority: options.identityAuthority ?? context.identityAuthority,
    owner: newId(context.clock.now()),
  };
}

/** Forks, from the look-ups on. Rejects with a ForkError, whatever a port throws. */
export async function forkMember<M>(
  context: ForkContext<M>,
  call: ForkCall<M>,
  options: Pick<ForkMemberOptions, "signal" | "deadlineMs">,
): Promise<ForkResult> {
  const deadline = openDeadline(options, context.clock);
  try {
    deadline.waiting.throwIfAborted();
    const signal = deadline.waiting;
    const made = await findByKey(context, call, signal);
    if (made) return await continueFork(context, { call, operation: made, deadline });
    const { child } = call.request;
    await refuseOwnedName({ authority: call.authority, child, signal }, "request");
    await refuseUnknownRole(context.provisioner, call.request.role, signal);
    return await underLocks(context, call, deadline);
  } catch (error) {
    throw endedBy(deadline.waiting, error, "read");
  } finally {
    deadline.release();
  }
}

/** Takes the locks in their order, source before name, and holds them until the child is seated. */
async function underLocks<M>(
  context: ForkContext<M>,
  call: ForkCall<M>,
  deadline: CallDeadline,
): Promise<ForkResult> {
  const signal = deadline.waiting;
  const { authority, request } = call;
  const reservation = context.reservations.open();
  let pin: SourcePin | undefined;
  try {
    pin = await pinSource({ authority, alias: request.source, reservation, signal });
    await reservation.take("name", [request.child], signal);
    await refuseOwnedName({ authority, child: request.child, signal }, "guard");
    const made = await findByKey(context, call, signal);
    if (made) return await continueFork(context, { call, operation: made, deadline });
    const source = await findSource(context, { ...call, ...pin, signal });
    const plan: ForkPlan<M> = { ...call, source };
    const { operation, claim } = await commitFork(context, plan, signal);
    if (claim === null) return await continueFork(context, { call, operation, deadline });
    return await seatFork(context, { operation, claim, running: deadline.running, replayed: false });
  } finally {
    pin?.release();
    reservation.release();
  }
}

/** The operation that the call's idempotency key has made before. */
export async function findByKey<M>(
  context: ForkContext<M>,
  call: ForkCall<M>,
  signal: AbortSignal,
): Promise<ForkOperation<M> | undefined> {
  const { idempotencyKey, requestDigest } = call;
  if (idempotencyKey === undefined) return undefined;
  const made = await context.operations.ofKey(idempotencyKey, { signal });
  if (made === undefined || made.requestDigest === requestDigest) return made;
  throw new ForkError("fork_conflict", conflictText(idempotencyKey), {
    details: { idempotencyKey, operationId: made.id },
  });
}

/** Brings an earlier call's fork to its end, or answers with it when it is there. */
async function continueFork<M>(
  context: ForkContext<M>,
  work: {
    readonly call: ForkCall<M>;
    readonly operation: ForkOperation<M>;
    readonly deadline: CallDeadline;
  },
): Promise<ForkResult> {
  const { call, operation, deadline } = work;
  const signal = deadline.waiting;
  const claimed = await claimFork(context, operation, { owner: call.owner, signal }).catch(
    (error: unknown) => {
      throw endedBy(signal, error, "resume");
    },
  );
  if (claimed.state === "seated") return claimed.result;
  return seatFork(context, { ...claimed, running: deadline.running, replayed: true });
}

/** The source: by its alias, else by the identity that the alias is pinned to. */
export async function findSource<M>(
  context: ForkContext<M>,
  {
    request,
    identity,
    signal,
  }: Pick<ForkCall<M>, "request"> & Pick<SourcePin, "identity"> & { readonly signal: AbortSignal },
): Promise<FoundSource> {
  const { source, child } = request;
  if (child === source || child === identity) throw memberExists(child, "seated");
  const found =
    (await lookUpSource(context, source, signal)) ??
    (identity === undefined || identity === source
      ? undefined
      : await lookUpSource(context, identity, signal));
  if (found === undefined) throw memberNotFound(source);
  return found;
}
