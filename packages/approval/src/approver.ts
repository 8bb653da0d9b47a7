import type { JsonValue, SideEffectLevel } from "@basis/core";
import type { ApprovalSubject } from "./approval-request.ts";
import { isAtMost } from "./side-effect-level.ts";

/**
 * What an approver may answer. `…_for_session` also remembers the narrowest rule that covers the call.
 * `input` replaces the call's input; it is run through the hooks again before anything happens.
 * `park` leaves the question open in the approval store.
 */
export type ApproverAnswer =
  | {
      readonly decision: "allow" | "allow_for_session";
      readonly reason?: string | undefined;
      readonly input?: JsonValue | undefined;
    }
  | { readonly decision: "deny" | "deny_for_session"; readonly reason?: string | undefined }
  | { readonly decision: "park"; readonly reason?: string | undefined };

/** Whoever decides about consequential calls: a person at a prompt, a remote service, a fixed answer. */
export interface Approver {
  /** How denials and reports call it. Default `approver`. */
  readonly name?: string | undefined;
  /** Judges one call. Throwing, never answering and answering nonsense all deny. */
  approve(
    request: ApprovalSubject,
    options: { readonly signal: AbortSignal },
  ): ApproverAnswer | Promise<ApproverAnswer>;
}

/** Approves every call it is asked about. Deny rules stand above it. */
export const allowAll: Approver = Object.freeze({
  name: "allow-all",
  approve: (): ApproverAnswer => ({ decision: "allow" }),
});

/** Denies every call it is asked about. */
export const denyAll: Approver = Object.freeze({
  name: "deny-all",
  approve: (): ApproverAnswer => ({ decision: "deny", reason: "this host approves no consequential calls" }),
});

/** Approves calls whose level is at most `highest`; the others go to `above`, by default `denyAll`. */
export function byLevel(highest: SideEffectLevel, above: Approver = denyAll): Approver {
  return Object.freeze({
    name: above.name ?? "by-level",
    approve: (request: ApprovalSubject, options: { readonly signal: AbortSignal }) =>
      isAtMost(request.sideEffectLevel, highest)
        ? ({ decision: "allow" } as const)
        : above.approve(request, options),
  });
}
