import type { OutputAttempt, OutputIssue } from "@basis/typed-output";

/** What came of a typed answer, as the wire spells it: `value` when it was accepted, else why there is none. */
export type WireOutput = {
  readonly status: OutputAttempt<unknown>["status"];
  readonly [fact: string]: unknown;
};

/** A typed answer as the wire spells it. */
export function wireOutput(attempt: OutputAttempt<unknown>): WireOutput {
  const { status } = attempt;
  const attempts = attempt.attempts.length;
  switch (attempt.status) {
    case "accepted":
      return { status, attempts, value: attempt.value, normalized: attempt.normalized };
    case "mismatch":
      return { status, attempts, at: attempt.at, issues: attempt.issues.map(wireIssue) };
    case "rejected":
      return { status, attempts, reasons: attempt.reasons };
    case "missing":
      return { status, attempts, ended: attempt.ended };
    case "truncated":
      return { status, attempts, limit: attempt.limit };
    case "bounded":
      return { status, attempts, by: attempt.by };
    case "unsupported":
      return { status, attempts, at: attempt.at, hint: attempt.hint };
    case "refused":
    case "parked":
    case "cancelled":
    case "failed":
      return { status, attempts };
  }
}

function wireIssue({ stage, pointer, message, keyword }: OutputIssue) {
  return { stage, pointer, message, ...(keyword !== undefined && { keyword }) };
}
