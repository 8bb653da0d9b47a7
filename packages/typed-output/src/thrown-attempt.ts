import { isBasisError, type JsonObject, type JsonValue } from "@basis/core";
import { OutputError, type OutputErrorCode } from "./output-error.ts";
import type { OutputAttempt, OutputStatus } from "./output-result.ts";

type Unaccepted<T> = Exclude<OutputAttempt<T>, { readonly status: "accepted" }>;

const MESSAGES: Readonly<Record<Exclude<OutputStatus, "accepted" | "failed">, string>> = {
  mismatch: "the answer did not fit its schema",
  rejected: "the answer was rejected",
  missing: "the run ended without an answer",
  truncated: "the answer was cut off",
  refused: "the model refused to answer",
  bounded: "a bound ended the run before its answer",
  unsupported: "the model cannot be asked for this answer",
  parked: "the run waits for an approval",
  cancelled: "the run was cancelled",
};

/** The error of a run that brought no value. */
export function toOutputError<T>(attempt: Unaccepted<T>): OutputError {
  if (attempt.status === "failed") return fromFailure(attempt.error, attempt);
  const code: OutputErrorCode = `output_${attempt.status}`;
  return new OutputError(code, describe(attempt), { details: detailsOf(attempt), attempt });
}

/** Message and code are the inner error's own; it is the cause. */
function fromFailure(error: unknown, attempt: OutputAttempt<unknown>): OutputError {
  const message = error instanceof Error ? error.message : String(error);
  const code: unknown = (error as { code?: unknown } | null | undefined)?.code;
  return new OutputError(typeof code === "string" ? code : "output_failed", message, {
    ...(isBasisError(error) && { details: error.details }),
    cause: error,
    attempt,
  });
}

function describe<T>(attempt: Exclude<Unaccepted<T>, { status: "failed" }>): string {
  const message = MESSAGES[attempt.status];
  if (attempt.status === "mismatch" && attempt.issues[0]) {
    const { pointer, message: issue } = attempt.issues[0];
    return `${message}: ${pointer === "" ? "" : `${pointer}: `}${issue}`;
  }
  if (attempt.status === "rejected" && attempt.reasons.length > 0)
    return `${message}: ${attempt.reasons.at(-1)}`;
  if (attempt.status === "bounded") return `${message}: ${attempt.by}`;
  return attempt.status === "unsupported" ? `${message}: ${attempt.hint}` : message;
}

function detailsOf<T>(attempt: Exclude<Unaccepted<T>, { status: "failed" }>): JsonObject {
  switch (attempt.status) {
    case "mismatch":
    case "unsupported":
      return { at: attempt.at };
    case "rejected":
      return { reasons: attempt.reasons };
    case "missing":
      return { ended: attempt.ended };
    case "truncated":
      return { limit: attempt.limit };
    case "bounded":
      return { by: attempt.by };
    case "parked":
      return { approvalId: attempt.approvalId };
    case "refused":
    case "cancelled":
      return {};
    default:
      return attempt satisfies never;
  }
}

/** One for all results: it says whatever it is called on. */
const jsonForm = Object.freeze({
  value: function toJSON(this: object): JsonValue {
    return JSON.parse(
      JSON.stringify({ ...this }, (_key, value: unknown) =>
        value instanceof Error ? errorAsJson(value) : value,
      ),
    );
  },
});

/** Freezes a result and lets it say itself as JSON: errors by name, code and message. */
export function withJson<T extends object>(attempt: T): T {
  return Object.freeze(Object.defineProperty(attempt, "toJSON", jsonForm));
}

function errorAsJson(error: Error): JsonObject {
  const code: unknown = (error as { code?: unknown }).code;
  const { name, message } = error;
  return { name, ...(typeof code === "string" && { code }), message };
}
