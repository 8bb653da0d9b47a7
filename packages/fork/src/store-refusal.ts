import { isSessionError, type AnySessionError } from "@mobkit/session";
import { failureText } from "./failure-text.ts";
import { ForkError, isForkError, type AnyForkError, type SourceUnavailableCause } from "./fork-error.ts";
import { boundaryError, type PointOptions } from "./fork-point.ts";

/** Who a refused commit was about. */
export interface CommitSubject extends PointOptions {
  readonly source: string;
  readonly child: string;
}

/** True for a store's own no, after which nothing was written; false where it may have written, or not answered. */
export function isRefusal(error: unknown): error is AnySessionError {
  return isSessionError(error) && error.code !== "store_unavailable" && error.code !== "busy";
}

/**
 * A store's refusal of a commit in the words of this package.
 * Undefined for what is no refusal: an error after which the store may have written.
 */
export function commitRefusal(error: unknown, subject: CommitSubject): AnyForkError | undefined {
  if (!isRefusal(error)) return undefined;
  return sourceRefusal(error, subject) ?? requestRefusal(error, subject) ?? portFailure("read", error);
}

function sourceRefusal(error: AnySessionError, subject: CommitSubject): AnyForkError | undefined {
  switch (error.code) {
    case "unknown_member":
      return memberNotFound(subject.source, error);
    case "unknown_session":
      return sourceUnavailable(subject.source, { cause: "no_session" }, error);
    case "source_unavailable": {
      const { cause, settledLen } = error.details;
      const known = cause === "pending" ? "no_session" : cause;
      return sourceUnavailable(subject.source, { cause: known, settledLen }, error);
    }
    case "fork_boundary":
      return boundaryError(error.details, subject, error);
    default:
      return undefined;
  }
}

function requestRefusal(error: AnySessionError, subject: CommitSubject): AnyForkError | undefined {
  switch (error.code) {
    case "member_already_exists":
      return memberExists(subject.child, error.details.holder, { cause: error });
    case "idempotency_conflict":
      return new ForkError("fork_conflict", conflictText(error.details.idempotencyKey), {
        details: error.details,
        cause: error,
      });
    case "invalid_request":
      return invalidRequest(error.details.field, error);
    case "invalid_message":
      return invalidRequest("spec.initialMessage", error);
    default:
      return undefined;
  }
}

function invalidRequest(field: string, cause: Error): ForkError<"invalid_request"> {
  const details = { reason: "wrong_type", field } as const;
  return new ForkError("invalid_request", cause.message, { details, cause });
}

/** The refusal of a name that somebody has. */
export function memberExists(
  memberId: string,
  holder: "seated" | "reserved",
  options: { readonly cause?: unknown; readonly committed?: boolean } = {},
): ForkError<"member_already_exists"> {
  const who = holder === "seated" ? "exists" : "is reserved by a fork that is not seated yet";
  return new ForkError("member_already_exists", `member ${JSON.stringify(memberId)} ${who}`, {
    details: { memberId, holder },
    ...options,
  });
}

/** The refusal of a source that nobody registered. */
export function memberNotFound(memberId: string, cause?: unknown): ForkError<"member_not_found"> {
  return new ForkError("member_not_found", `there is no member ${JSON.stringify(memberId)} to fork`, {
    details: { memberId },
    cause,
  });
}

/** The refusal of an idempotency key that stands for another request. */
export function conflictText(idempotencyKey: string): string {
  return `idempotency key ${JSON.stringify(idempotencyKey)} was used for another fork request`;
}

/** The failure of a port, for what no other kind describes. */
export function portFailure(
  stage: "read" | "commit" | "resume",
  error: unknown,
): ForkError<"fork_unavailable"> {
  const text = failureText(error);
  const code = isSessionError(error) ? { code: error.code } : {};
  return new ForkError("fork_unavailable", `the fork could not be made (${stage}): ${text}`, {
    details: { stage, ...code },
    cause: error,
  });
}

/** A ForkError as it is; anything else as the failure of a port. */
export function asForkError(error: unknown, stage: "read" | "commit" | "resume"): AnyForkError {
  return isForkError(error) ? error : portFailure(stage, error);
}

function sourceUnavailable(
  sourceMemberId: string,
  facts: { readonly cause: SourceUnavailableCause; readonly settledLen?: number },
  error: unknown,
): ForkError<"fork_source_unavailable"> {
  return new ForkError(
    "fork_source_unavailable",
    `member ${JSON.stringify(sourceMemberId)} cannot be forked: ${facts.cause}`,
    { details: { sourceMemberId, ...facts }, cause: error },
  );
}
