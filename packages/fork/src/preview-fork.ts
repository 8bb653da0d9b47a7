import type { TokenUsage } from "@basis/core";
import type { ForkOperation, ForkPointRequest, PrefixRecord } from "@mobkit/session";
import { refuseOwnedName, refuseUnknownRole } from "./child-checks.ts";
import { endedBy, openDeadline } from "./deadline.ts";
import type { ForkContext } from "./fork-context.ts";
import { findByKey, findSource, type ForkCall } from "./fork-member.ts";
import type { ForkMemberOptions } from "./fork-request.ts";
import { toPointRequest } from "./fork-point.ts";
import { pinSource, type SourcePin } from "./source-pin.ts";
import { commitRefusal, memberExists, portFailure } from "./store-refusal.ts";

/** What a fork with the same request would begin with, if it were made now. */
export interface ForkPreview {
  /** The source as the request named it, decoded. */
  readonly sourceMemberAlias: string;
  readonly sourceSessionId: string;
  readonly memberAlias: string;
  /** Messages of the source that the child would begin with. */
  readonly messageCount: number;
  readonly prefixDigest: string;
  /** Everything spent on those messages; undefined for a fork that was made already. */
  readonly usage: TokenUsage | undefined;
  /** The fork that the idempotency key has made already: the same request would answer with it. */
  readonly madeBy: string | undefined;
}

/** Makes every check of a fork and reads the boundary; writes nothing, asks no provisioner but for the role, holds no lock afterwards. */
export async function previewFork<M>(
  context: ForkContext<M>,
  call: ForkCall<M>,
  options: Pick<ForkMemberOptions, "signal" | "deadlineMs">,
): Promise<ForkPreview> {
  const deadline = openDeadline(options, context.clock);
  const signal = deadline.waiting;
  const { child, role, source } = call.request;
  const reservation = context.reservations.open();
  let pin: SourcePin | undefined;
  try {
    signal.throwIfAborted();
    await refuseOwnedName({ ...call, child, signal }, "request");
    await refuseUnknownRole(context.provisioner, role, signal);
    pin = await pinSource({ authority: call.authority, alias: source, reservation, signal });
    await reservation.take("name", [child], signal);
    const made = await findByKey(context, call, signal);
    return made === undefined ? await inspect(context, { call, pin }, signal) : madeBefore(call, made);
  } catch (error) {
    throw endedBy(signal, error, "read");
  } finally {
    pin?.release();
    reservation.release();
    deadline.release();
  }
}

async function inspect<M>(
  context: ForkContext<M>,
  work: { readonly call: ForkCall<M>; readonly pin: SourcePin },
  signal: AbortSignal,
): Promise<ForkPreview> {
  const { request } = work.call;
  const { member, sessionId } = (await findSource(context, { ...work.call, ...work.pin, signal })).member;
  const holder = await context.members.holder(request.child, { signal });
  if (holder !== undefined) throw memberExists(request.child, holder.holder);
  const prefix = await readPrefix(context, { request, source: { member, sessionId } }, signal);
  return Object.freeze({
    sourceMemberAlias: request.source,
    sourceSessionId: sessionId,
    memberAlias: request.child,
    messageCount: prefix.length,
    prefixDigest: prefix.digest,
    usage: prefix.usage,
    madeBy: undefined,
  });
}

async function readPrefix<M>(
  { store }: ForkContext<M>,
  { request, source }: Pick<ForkCall<M>, "request"> & Pick<ForkPointRequest, "source">,
  signal: AbortSignal,
): Promise<PrefixRecord> {
  if (store.forks.inspect === undefined)
    throw portFailure("read", new Error("the store can't preview forks"));
  try {
    return await store.forks.inspect({ ...toPointRequest(source, request), signal });
  } catch (error) {
    throw commitRefusal(error, request) ?? error;
  }
}

function madeBefore<M>({ request }: ForkCall<M>, { id, source, child }: ForkOperation<M>): ForkPreview {
  return Object.freeze({
    sourceMemberAlias: request.source,
    sourceSessionId: source.sessionId,
    memberAlias: child.member,
    messageCount: source.len,
    prefixDigest: source.digest,
    usage: undefined,
    madeBy: id,
  });
}
