import { DeadlineError, type RunReport, type StoppedBy } from "@basis/core";
import { isSessionError } from "@mobkit/session";
import { LeaseLostError } from "./session-writer.ts";

/** Ends a run and keeps its work: a stop that somebody asked for. */
export class StopError extends Error {
  override readonly name = "StopError";
}

/** Ends a run and rolls its turn back. */
export class CancelError extends Error {
  override readonly name = "CancelError";
}

/** How a run ended, before its account is written. */
export type RunEnd = Pick<RunReport, "outcome" | "stoppedBy" | "failure" | "approvalId">;

/** A run that ended by itself, or by a bound between two rounds. */
export function endedBy(stoppedBy: StoppedBy | undefined): RunEnd {
  return stoppedBy === undefined ? { outcome: "completed" } : { outcome: "stopped", stoppedBy };
}

/** A run that threw. An abort is told by its reason, not by what the aborted work made of it. */
export function endOfError(error: unknown, signal: AbortSignal): RunEnd {
  const reason: unknown = signal.aborted ? signal.reason : error;
  if (reason instanceof StopError) return { outcome: "stopped", stoppedBy: "stop" };
  if (reason instanceof DeadlineError) return { outcome: "stopped", stoppedBy: "deadline" };
  if (reason instanceof LeaseLostError || isSessionError(reason, "stale_fence"))
    return { outcome: "failed", failure: reason };
  if (signal.aborted) return { outcome: "cancelled" };
  return { outcome: "failed", failure: error };
}
