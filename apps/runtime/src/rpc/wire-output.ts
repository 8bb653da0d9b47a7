import type { OutputAttempt, OutputIssue } from "@basis/typed-output";
import type { RunAccount } from "../runs/run-account.ts";

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

/** What the log tells of a typed answer, spelled in the same way. */
export function wireAccount({ output, end, text, finishReason }: RunAccount): WireOutput | undefined {
  if (output === undefined) return undefined;
  const { status, attempts, value, normalized, verdict, issues, reasons } = output;
  const facts = { status, attempts };
  switch (status) {
    case "accepted":
      return { ...facts, value, normalized };
    case "mismatch":
      return { ...facts, at: stageOf(verdict), issues: issues.map(wireIssue) };
    case "rejected":
      return { ...facts, reasons };
    case "missing":
      return { ...facts, ended: end.stopped_by === "stop" ? "stop" : proseOf(text) };
    case "truncated":
      return { ...facts, limit: finishReason === "length" ? "output_tokens" : "unknown" };
    case "bounded":
      return { ...facts, by: end.stopped_by };
    default:
      return facts;
  }
}

function proseOf(text: string): "empty" | "prose" {
  return text.trim() === "" ? "empty" : "prose";
}

function stageOf(verdict: string | undefined): "parse" | "decode" | "schema" {
  if (verdict === "malformed") return "parse";
  return verdict === "undecodable" ? "decode" : "schema";
}

function wireIssue({ stage, pointer, message, keyword }: OutputIssue) {
  return { stage, pointer, message, ...(keyword !== undefined && { keyword }) };
}
