import { visibleText } from "@basis/approval";
import type { RunReport } from "@basis/core";
import type { OutputIssue, OutputStatus } from "@basis/typed-output";
import { isModelError } from "../../providers/model-error.ts";
import { exitCode, exitCodeOf, exitCodeOfOutput, type ExitCode } from "../terminal/exit-code.ts";
import { answer, complain, paint, progress } from "../terminal/output-format.ts";
import { shellWord } from "../terminal/shell-word.ts";

/** How a run's end is told. */
export interface Finishing {
  /** Standard output holds events alone. */
  readonly json: boolean;
  /** A text of the model stands on standard output already. */
  readonly streamed: boolean;
  /** Where the session is gone on in, and by which command; absent: nothing is said of it. */
  readonly goOn?: { readonly member: string; readonly command: string } | undefined;
}

/** How a run ended: the part of its report that its caller is told. */
export type ToldRun = Pick<RunReport, "outcome" | "stoppedBy" | "failure" | "approvalId" | "text">;

/** How a typed run ended: the part of its account that its caller is told. */
export interface ToldOutput {
  readonly status: OutputStatus;
  readonly value?: unknown;
  readonly issues?: readonly Pick<OutputIssue, "pointer" | "message">[];
  readonly reasons?: readonly string[];
  readonly hint?: string;
  readonly error?: unknown;
  /** Absent where no turn began. */
  readonly report?: ToldRun;
}

/** Prints the answer where it does not stand yet, and how to go on; answers the exit code. */
export function finishProse(report: ToldRun, finishing: Finishing): ExitCode {
  const { text = "", outcome } = report;
  if (!finishing.json && !finishing.streamed && text !== "") answer(text);
  if (outcome !== "completed") explain(report, finishing);
  else sayHowToGoOn(finishing);
  return exitCodeOf(report);
}

/** Prints the accepted value, or why there is none; answers the exit code. */
export function finishTyped(attempt: ToldOutput, finishing: Finishing): ExitCode {
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

function whyNot({ status, issues = [], reasons = [], error, hint }: ToldOutput): string {
  switch (status) {
    case "mismatch":
      return `: ${issues.map(({ pointer, message }) => `${pointer || "the answer"} ${message}`).join("; ")}`;
    case "rejected":
      return `: ${reasons.join("; ")}`;
    case "failed":
      return `: ${error instanceof Error ? error.message : String(error)}`;
    case "unsupported":
      return `: ${hint}`;
    default:
      return "";
  }
}

function explain(report: ToldRun, { goOn }: Finishing): void {
  complain(`${howItEnded(report)}${goOn ? ` (session ${goOn.member})` : ""}`);
  if (asksForLook(report))
    progress(paint.dim("look whether key, address and model fit: basis doctor --online"));
  const next = goOn && nextStep(report, goOn);
  if (next !== undefined) progress(paint.dim(next));
}

/** What asking the provider for nothing shows as well, and costs nothing. */
function asksForLook({ outcome, failure }: ToldRun): boolean {
  const codes = ["auth", "network", "not_found"];
  return outcome === "failed" && isModelError(failure) && codes.includes(failure.code);
}

function howItEnded({ outcome, stoppedBy, failure, approvalId }: ToldRun): string {
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

function nextStep(
  { outcome, approvalId }: ToldRun,
  goOn: NonNullable<Finishing["goOn"]>,
): string | undefined {
  switch (outcome) {
    case "parked":
      return `answer it with: basis approvals allow ${approvalId ?? "ID"} (or deny); then: ${inSession(goOn)}`;
    case "stopped":
    case "failed":
      return `go on with: ${inSession(goOn)}`;
    default:
      return undefined;
  }
}

function sayHowToGoOn({ json, goOn }: Finishing): void {
  if (json || goOn === undefined) return;
  progress(paint.dim(`session ${visibleText(goOn.member)}; go on with: ${inSession(goOn)} "…"`));
}

function inSession({ member, command }: NonNullable<Finishing["goOn"]>): string {
  return `${command} --session ${shellWord(member)}`;
}
