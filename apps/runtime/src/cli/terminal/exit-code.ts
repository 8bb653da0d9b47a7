import type { RunReport } from "@basis/core";
import type { OutputStatus } from "@basis/typed-output";
import { isSessionError } from "@mobkit/session";
import { ParkedSessionError } from "../../agent/turn/run-end.ts";
import { StartError } from "../../config/start-error.ts";

/** What the process's exit code says. */
export const exitCode = {
  ok: 0,
  failed: 1,
  usage: 2,
  bounded: 3,
  parked: 4,
  refused: 5,
  interrupted: 130,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

type EndedRun = Pick<RunReport, "outcome" | "stoppedBy">;

/** The exit code of a finished run. */
export function exitCodeOf(report: EndedRun): ExitCode {
  switch (report.outcome) {
    case "completed":
      return exitCode.ok;
    case "parked":
      return exitCode.parked;
    case "cancelled":
      return exitCode.interrupted;
    case "stopped":
      return report.stoppedBy === "stop" ? exitCode.interrupted : exitCode.bounded;
    case "failed":
      return exitCode.failed;
  }
}

/** The exit code of a typed run. */
export function exitCodeOfOutput(attempt: {
  readonly status: OutputStatus;
  readonly report?: EndedRun | undefined;
  readonly error?: unknown;
}): ExitCode {
  switch (attempt.status) {
    case "accepted":
      return exitCode.ok;
    case "bounded":
      return exitCode.bounded;
    case "parked":
      return exitCode.parked;
    case "cancelled":
      return exitCode.interrupted;
    case "failed":
      return attempt.report ? exitCodeOf(attempt.report) : exitCodeOfError(attempt.error);
    default:
      return endedByBound(attempt.report) ? exitCodeOf(attempt.report) : exitCode.failed;
  }
}

/** True when something else than the typed answer itself stopped the run. */
function endedByBound(report: EndedRun | undefined): report is EndedRun {
  return report?.outcome === "stopped" && report.stoppedBy !== "output";
}

/** The exit code of a command that threw. */
export function exitCodeOfError(error: unknown): ExitCode {
  if (error instanceof UsageError) return exitCode.usage;
  if (error instanceof StartError) return error.exitCode;
  if (error instanceof ParkedSessionError) return exitCode.parked;
  if (isSessionError(error, "lease_held") || isSessionError(error, "session_unavailable"))
    return exitCode.refused;
  return exitCode.failed;
}

/** Arguments that make no sense; every problem says what would. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}
