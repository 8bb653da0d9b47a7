import { BasisError, isBasisError, type JsonObject } from "@basis/core";
import type { SessionErrorDetails } from "@mobkit/session";

/** Why a source cannot be forked now. */
export type SourceUnavailableCause = "no_session" | "running" | "archived" | "quarantined" | "remote";

/** Why a source alias could not be pinned to a current, active identity. */
export type SourceAuthorityReason = "unowned" | "stale" | "deleted" | "inactive" | "contended" | "failed";

/** Why a request is refused as it stands. */
export type InvalidRequestReason =
  | "unknown_field"
  | "wrong_type"
  | "blank_source"
  | "blank_child"
  | "launch_mode"
  | "placement"
  | "reserved_label"
  | "encoded_name"
  | "generated_name"
  | "flow_name"
  | "owned_name"
  | "unknown_role"
  | "blank_role";

/** The facts that come with each kind. */
export interface ForkErrorDetails {
  invalid_request: { reason: InvalidRequestReason; field: string };
  source_authority: {
    reason: SourceAuthorityReason;
    sourceMemberId: string;
    /** The identity's state, in its authority's word, when it is not active. */
    state?: string;
  };
  /** `reserved` by a fork that is committed and not yet seated. */
  member_already_exists: { memberId: string; holder: "seated" | "reserved" };
  member_not_found: { memberId: string };
  fork_source_unavailable: {
    sourceMemberId: string;
    cause: SourceUnavailableCause;
    /** Messages up to the last point with nothing open; absent where there is no session. */
    settledLen?: number;
  };
  /** Lengths in messages; a null neighbour means that there is none yet. `at` is null for an unknown message or turn. */
  fork_boundary: SessionErrorDetails["fork_boundary"];
  fork_conflict: { idempotencyKey: string; operationId: string };
  fork_member_provision_failed: {
    memberId: string;
    forkSessionId: string;
    operationId: string;
    reason: string;
  };
  fork_operation_not_found: { operationId?: string; sessionId?: string };
  fork_operation_closed: { operationId: string; forkSessionId: string; state: "seated" | "abandoned" };
  fork_in_progress: { operationId: string; forkSessionId: string };
  fork_cancelled: Record<string, never>;
  fork_deadline_exceeded: { deadlineMs: number };
  /** A port of the host failed; `code` is its own, where it has one. At `commit` it could not say whether it wrote. */
  fork_unavailable: { stage: "read" | "commit" | "resume"; code?: string };
  forks_shut_down: Record<string, never>;
}

export type ForkErrorKind = keyof ForkErrorDetails;

/**
 * What a caller does next: nothing will help; change the request; send the same request again;
 * or `resumeFork` with the id that the error carries.
 */
export type ForkRetry = "never" | "after_fix" | "same_request" | "resume";

/** What a ForkError is made from, beside its kind and message. */
export interface ForkErrorOptions<Kind extends ForkErrorKind> {
  readonly details: ForkErrorDetails[Kind];
  readonly cause?: unknown;
  /** Default: what the kind says of itself. A resume sets it, since its child exists already. */
  readonly committed?: boolean;
}

/** A fork that was refused or failed. `kind` narrows `details` on a value that `isForkError` let through. */
export class ForkError<Kind extends ForkErrorKind = ForkErrorKind> extends BasisError<
  Kind,
  ForkErrorDetails[Kind] & JsonObject
> {
  /** What happened; the same word as `code`. */
  readonly kind: Kind;
  readonly retry: ForkRetry;
  /** True when a child session is on disk; with `fork_unavailable` at `commit`, when one may be. */
  readonly committed: boolean;

  constructor(kind: Kind, message: string, options: ForkErrorOptions<Kind>) {
    const details = options.details as ForkErrorDetails[Kind] & JsonObject;
    super(kind, message, { details, cause: options.cause });
    this.kind = kind;
    this.retry = retryAdvice(kind, details);
    this.committed = options.committed ?? isCommitted(kind, details);
  }

  /**
   * The error's facts in wire spelling (snake_case, ids as strings), with its `kind`.
   * Undefined for `invalid_request` and `source_authority`. `recovery` stands in that of
   * `fork_member_provision_failed` alone.
   */
  structuredData(): JsonObject | undefined {
    if (this.kind === "invalid_request" || this.kind === "source_authority") return undefined;
    const data: Record<string, unknown> = { kind: this.kind, ...(wireSpelling(this.details) as JsonObject) };
    if (this.kind === "fork_member_provision_failed") data["recovery"] = "resume_committed_fork_session";
    return data as JsonObject;
  }

  /** `BasisError.toJSON` with `kind`, `retry` and `committed`. */
  override toJSON(): JsonObject {
    return { ...super.toJSON(), kind: this.kind, retry: this.retry, committed: this.committed };
  }
}

/** Every `ForkError` as a union that a `switch` over `kind` narrows. */
export type AnyForkError = { [Kind in ForkErrorKind]: ForkError<Kind> }[ForkErrorKind];

/** True for an error of this package, of any installed copy; with `kind`, for that kind alone. */
export function isForkError(value: unknown): value is AnyForkError;
export function isForkError<Kind extends ForkErrorKind>(value: unknown, kind: Kind): value is ForkError<Kind>;
export function isForkError(value: unknown, kind?: ForkErrorKind): boolean {
  return isBasisError(value, "ForkError") && (kind === undefined || value.code === kind);
}

/** True when the child is committed and only its provisioning or seating failed: resume it, do not fork again. */
export function committedForkIsRecoverable(
  error: unknown,
): error is ForkError<"fork_member_provision_failed"> {
  return isForkError(error, "fork_member_provision_failed");
}

const ADVICE: Readonly<Record<ForkErrorKind, ForkRetry>> = {
  invalid_request: "after_fix",
  source_authority: "after_fix",
  member_already_exists: "after_fix",
  member_not_found: "after_fix",
  fork_source_unavailable: "after_fix",
  fork_boundary: "after_fix",
  fork_conflict: "after_fix",
  fork_member_provision_failed: "resume",
  fork_operation_not_found: "never",
  fork_operation_closed: "never",
  fork_in_progress: "same_request",
  fork_cancelled: "same_request",
  fork_deadline_exceeded: "same_request",
  fork_unavailable: "same_request",
  forks_shut_down: "same_request",
};

const AUTHORITY_ADVICE: Readonly<Record<SourceAuthorityReason, ForkRetry>> = {
  unowned: "after_fix",
  stale: "after_fix",
  deleted: "never",
  inactive: "same_request",
  contended: "same_request",
  failed: "same_request",
};

function retryAdvice(kind: ForkErrorKind, details: JsonObject): ForkRetry {
  if (kind === "fork_source_unavailable" && details["cause"] === "running") return "same_request";
  if (kind === "source_authority") return AUTHORITY_ADVICE[details["reason"] as SourceAuthorityReason];
  return ADVICE[kind];
}

function isCommitted(kind: ForkErrorKind, details: JsonObject): boolean {
  if (kind === "fork_operation_closed") return details["state"] === "seated";
  if (kind === "fork_unavailable") return details["stage"] !== "read";
  return kind === "fork_member_provision_failed" || kind === "fork_in_progress";
}

/** Renames the keys of objects from camelCase to snake_case, all the way down. */
function wireSpelling(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireSpelling);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, held]) => [
    key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    wireSpelling(held),
  ]);
  return Object.fromEntries(entries) as unknown;
}
