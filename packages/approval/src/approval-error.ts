import { BasisError, isBasisError } from "@basis/core";

/** Why a bound approval cannot be redeemed: nothing was approved, not yet, denied, used up, too old, or the call is not the approved one. */
export type StaleCause = "unknown" | "open" | "denied" | "redeemed" | "expired" | "changed";

/** The facts that each code carries. */
export interface ApprovalErrorDetails {
  /** The request lacks something the gate cannot do without. */
  invalid_request: { readonly field: string; readonly problem: string };
  /** A gate or store was set up with a value it cannot work with. */
  invalid_option: { readonly option: string; readonly problem: string };
  /** A binding met a tool that can run without the gate; `reason` reads after the tool's name. */
  unguarded_tool: { readonly tool: string; readonly reason: string };
  /** A rule that could never be applied as written. */
  invalid_rule: { readonly toolName: string; readonly field: string; readonly problem: string };
  /** An optional package that a subpath needs is not there, or not in a version that works. */
  missing_peer: { readonly package: string; readonly version: string };
  /** The shell grammar that comes with this package could not be loaded. */
  grammar_failed: { readonly file: string };
  /** An allow rule that would cover more than one exact command. */
  command_wildcard: { readonly toolName: string };
  /** A value with no canonical JSON form, so that nothing can be bound to it. */
  not_canonical: { readonly part: string };
  /** The call is not covered by a live approval of exactly this digest. */
  stale_approval: { readonly callKey: string; readonly cause: StaleCause };
  /** The approval store did not answer; whether it used the approval up is not known. */
  store_failed: { readonly store: string };
  /** `redeemSync` met a store that answers with a promise. */
  async_store: { readonly store: string };
}

export type ApprovalErrorCode = keyof ApprovalErrorDetails;

/** An `ApprovalError` of any code; comparing `code` narrows `details`. */
export type AnyApprovalError = { [Code in ApprovalErrorCode]: ApprovalError<Code> }[ApprovalErrorCode];

/** The one error of this package: it says that something could not be done, never that a call is allowed. */
export class ApprovalError<Code extends ApprovalErrorCode = ApprovalErrorCode> extends BasisError<
  Code,
  ApprovalErrorDetails[Code]
> {
  override readonly name: string = "ApprovalError";

  /** True for an error of this class, whichever copy of this package made it; lets `code` narrow `details`. */
  static is(value: unknown): value is AnyApprovalError {
    return isBasisError(value, "ApprovalError");
  }
}
