import { DeadlineError, untilAborted } from "@basis/core";
import { isGeneratedNamespace, parseGeneratedAlias } from "./alias.ts";
import { failureText } from "./failure-text.ts";
import { ForkError, type SourceAuthorityReason } from "./fork-error.ts";
import type { AliasOwner, IdentityAuthority, LifecycleHold } from "./identity-authority.ts";
import type { Reservation } from "./reservations.ts";

/** A source that stays what it is until released. */
export interface SourcePin {
  /** Undefined for a raw member: nothing is locked then. */
  readonly identity?: string;
  release(): void;
}

/** What pinning needs. */
export interface PinRequest {
  readonly authority: IdentityAuthority | undefined;
  /** The source's decoded alias. */
  readonly alias: string;
  readonly reservation: Reservation;
  readonly signal: AbortSignal;
}

const RAW: SourcePin = Object.freeze({ release: () => undefined });

/**
 * Holds the lifecycle of the identity behind an alias, and makes sure under the hold that the alias still means it.
 * Whoever waited behind a reset is refused, not led on to the new generation.
 *
 * @throws ForkError `source_authority`, also when the deadline ends the wait; the caller's own abort reason otherwise.
 */
export async function pinSource(request: PinRequest): Promise<SourcePin> {
  const { authority, alias } = request;
  if (authority === undefined) return RAW;
  const owner = await resolveAlias(request, authority);
  if (owner === undefined) {
    if (isGeneratedNamespace(alias))
      throw refusal(request, { reason: "unowned", text: "no identity owns it" });
    return RAW;
  }
  requireCurrent(request, owner, owner);
  const hold = await holdLifecycle(request, authority, owner.identity);
  try {
    const now = await resolveAlias(request, authority);
    if (now === undefined) {
      throw refusal(request, { reason: "deleted", text: `identity ${owner.identity} is gone` });
    }
    requireCurrent(request, now, owner);
    return { identity: owner.identity, release: () => letGo(hold) };
  } catch (error) {
    letGo(hold);
    throw error;
  }
}

/** A hold that can't be let go must not turn a fork that is seated into one that failed. */
function letGo(hold: LifecycleHold): void {
  try {
    hold.release();
  } catch {
    // The authority's to mend: the fork has its outcome.
  }
}

/**
 * The identity that owns a name, asked without a lock.
 *
 * @throws ForkError `source_authority` `failed` when the authority cannot answer.
 */
export async function resolveAlias(
  request: Pick<PinRequest, "alias" | "signal">,
  authority: IdentityAuthority,
): Promise<AliasOwner | undefined> {
  const { alias, signal } = request;
  try {
    return (await untilAborted(signal, () => authority.resolveAlias(alias, { signal }))) ?? undefined;
  } catch (error) {
    throw authorityFailure(request, error);
  }
}

async function holdLifecycle(
  request: PinRequest,
  authority: IdentityAuthority,
  identity: string,
): Promise<LifecycleHold> {
  const { reservation, signal } = request;
  try {
    await reservation.take("source", [identity], signal);
    const work = authority.holdLifecycle(identity, { signal });
    return await untilAborted(signal, () => work).catch((error: unknown) => {
      work.then(letGo).catch(() => undefined);
      throw error;
    });
  } catch (error) {
    throw authorityFailure(request, error);
  }
}

function requireCurrent(request: PinRequest, owner: AliasOwner, seen: AliasOwner): void {
  const { identity, generation, state } = owner;
  if (state !== "active") {
    const reason = state === "deleted" ? "deleted" : "inactive";
    throw refusal(request, { reason, state, text: `identity ${identity} is ${state}` });
  }
  const named = parseGeneratedAlias(request.alias);
  if (named !== undefined && named.generation !== generation) {
    const text = `identity ${identity} is at generation ${generation}`;
    throw refusal(request, { reason: "stale", text });
  }
  if (identity !== seen.identity || generation !== seen.generation) {
    throw refusal(request, { reason: "stale", text: `identity ${identity} was reset while the fork waited` });
  }
}

function authorityFailure(request: Pick<PinRequest, "alias" | "signal">, error: unknown): unknown {
  const { signal } = request;
  if (!signal.aborted || error !== signal.reason) {
    return refusal(request, { reason: "failed", text: failureText(error), cause: error });
  }
  if (!(error instanceof DeadlineError)) return error;
  const text = `its lifecycle was not free within ${error.timeoutMs} ms`;
  return refusal(request, { reason: "contended", text, cause: error });
}

interface Refusal {
  readonly reason: SourceAuthorityReason;
  readonly text: string;
  readonly state?: string;
  readonly cause?: unknown;
}

function refusal(
  { alias }: Pick<PinRequest, "alias">,
  { reason, text, state, cause }: Refusal,
): ForkError<"source_authority"> {
  return new ForkError("source_authority", `fork source alias authority unavailable: ${alias}: ${text}`, {
    details: { reason, sourceMemberId: alias, ...(state !== undefined && { state }) },
    cause,
  });
}
