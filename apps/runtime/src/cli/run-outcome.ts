import { visibleText } from "@basis/approval";
import type { RunReport } from "@basis/core";
import type { OutputAttempt } from "@basis/typed-output";
import { exitCode, exitCodeOf, exitCodeOfOutput, type ExitCode } from "./exit-code.ts";
import { answer, complain, paint, progress } from "./output-format.ts";
import { shellWord } from "./shell-word.ts";

/** How a run's end is told. */
export interface Finishing {
  /** Standard output holds events alone. */
  readonly json: boolean;
  /** Whether there is a session to go on in. */
  readonly kept: boolean;
  readonly member: string;
}

/** Prints the answer where it has not streamed, and how to go on; answers the exit code. */
export function finishProse(report: RunReport, finishing: Finishing): ExitCode {
  const { text = "", outcome } = report;
  if (!finishing.json && !process.stdout.isTTY && text !== "") answer(text);
  if (outcome !== "completed") explain(report, finishing);
  else if (!finishing.json && finishing.kept) sayHowToGoOn(finishing.member);
  return exitCodeOf(report);
}

/** Prints the accepted value, or why there is none; answers the exit code. */
export function finishTyped(attempt: OutputAttempt<unknown>, finishing: Finishing): ExitCode {
  if (attempt.status === "accepted") {
    if (!finishing.json) answer(JSON.stringify(attempt.value, null, 2));
    return exitCode.ok;
  }
  const { report } = attempt;
  const ended =
    report && report.outcome !== "completed" && report.stoppedBy !== "output" ? report : undefined;
  const toldBelow = attempt.status === "failed" && ended?.outcome === "failed";
  complain(`no answer (${attempt.status})${toldBelow ? "" : whyNot(attempt)}`);
  if (ended !== undefined) explain(ended, finishing);
  return exitCodeOfOutput(attempt);
}

function whyNot(attempt: OutputAttempt<unknown>): string {
  switch (attempt.status) {
    case "mismatch":
      return `: ${attempt.issues.map(({ pointer, message }) => `${pointer || "the answer"} ${message}`).join("; ")}`;
    case "rejected":
      return `: ${attempt.reasons.join("; ")}`;
    case "failed":
      return `: ${attempt.error instanceof Error ? attempt.error.message : String(attempt.error)}`;
    case "unsupported":
      return `: ${attempt.hint}`;
    default:
      return "";
  }
}

function explain(report: RunReport, finishing: Finishing): void {
  complain(`${howItEnded(report)}${finishing.kept ? ` (session ${finishing.member})` : ""}`);
  const next = finishing.kept ? nextStep(report, finishing.member) : undefined;
  if (next !== undefined) progress(paint.dim(next));
}

function howItEnded({ outcome, stoppedBy, failure, approvalId }: RunReport): string {
  switch (outcome) {
    case "failed":
      return failure instanceof Error ? failure.message : String(failure);
    case "parked":
      return `it waits for approval ${approvalId ?? ""}`.trimEnd();
    case "stopped":
      return stoppedBy === "stop" ? "stopped; its work is kept" : `stopped by the ${inWords(stoppedBy)}`;
    case "cancelled":
      return "cancelled; its turn was rolled back";
    case "completed":
      return "completed";
  }
}

function inWords(stoppedBy: RunReport["stoppedBy"]): string {
  switch (stoppedBy) {
    case "deadline":
      return "deadline";
    case "tool_budget":
      return "tool budget";
    case "token_budget":
      return "token budget";
    case "rounds":
      return "limit of model rounds";
    default:
      return stoppedBy ?? "host";
  }
}

function nextStep({ outcome, approvalId }: RunReport, member: string): string | undefined {
  switch (outcome) {
    case "parked":
      return `answer it with: basis approvals allow ${approvalId ?? "ID"} (or deny); then: basis run --session ${shellWord(member)}`;
    case "stopped":
    case "failed":
      return `go on with: basis run --session ${shellWord(member)}`;
    default:
      return undefined;
  }
}

function sayHowToGoOn(member: string): void {
  progress(
    paint.dim(`session ${visibleText(member)}; go on with: basis run --session ${shellWord(member)} "…"`),
  );
}
