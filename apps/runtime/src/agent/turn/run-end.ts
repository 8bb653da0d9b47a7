import { DeadlineError, isBasisError, type RunReport } from "@basis/core";
import type { OutputStatus } from "@basis/typed-output";
import type { Cue } from "../run/cue.ts";
import { isUnclear } from "../transcript/insist.ts";
import { LeaseLostError } from "../transcript/lease-keeper.ts";
import type { EndStep } from "./turn-director.ts";

/** Ends a run and keeps its work: a stop that somebody asked for. */
export class StopError extends Error {
  override readonly name = "StopError";
}

/** Ends a run and rolls its turn back. */
export class CancelError extends Error {
  override readonly name = "CancelError";
}

/** A prompt for a session whose turn waits for an approval. */
export class ParkedSessionError extends Error {
  override readonly name = "ParkedSessionError";
  readonly approvalId: string;

  constructor(approvalId: string) {
    super(`the session waits for approval ${approvalId}; answer it, then go on without a new prompt`);
    this.approvalId = approvalId;
  }
}

/** The turn goes back to the queue as it stands; its worker says nothing of its end. */
export class HandBackError extends Error {
  override readonly name = "HandBackError";
  /** The queue has given it to another already. */
  readonly isGivenAway: boolean;

  constructor({ isGivenAway = false }: { readonly isGivenAway?: boolean } = {}) {
    super("the worker ends, and the turn goes on at another");
    this.isGivenAway = isGivenAway;
  }
}

/** How a run ended, before its account is written. */
export type RunEnd = Pick<RunReport, "outcome" | "stoppedBy" | "failure" | "approvalId"> & {
  /** Of a typed turn that came to its end: how its answer did. */
  readonly output?: OutputStatus | undefined;
};

/**
 * Throws for a run that ends as it stands, without an end of its own: a queue gives it to another worker. A store that is away
 * is no end of a queued run either.
 *
 * @throws HandBackError, LeaseLostError
 */
export function leaveOpen(
  error: unknown,
  { aborted, reason }: Pick<Cue, "aborted" | "reason">,
  isQueued: boolean,
): void {
  if (aborted && (reason instanceof HandBackError || (isQueued && reason instanceof LeaseLostError)))
    throw reason;
  if (isQueued && !aborted && isUnclear(error)) throw new HandBackError();
}

/** A run that ended by itself, or by a bound between two rounds. */
export function endedBy({ stoppedBy, output }: Omit<EndStep, "kind">): RunEnd {
  return stoppedBy === undefined
    ? { outcome: "completed", output }
    : { outcome: "stopped", stoppedBy, output };
}

/** How the answer of a typed turn ended, as its caller is told: something that stopped the turn stands over the answer. */
export function outputStatusOf({ outcome, stoppedBy, output }: RunEnd): OutputStatus {
  if (outcome === "failed" || outcome === "parked" || outcome === "cancelled") return outcome;
  return output ?? (stoppedBy === undefined || stoppedBy === "stop" ? "missing" : "bounded");
}

/** A run that threw. An abort is told by its reason, not by what the aborted work made of it. */
export function endOfError(error: unknown, ending: Pick<Cue, "aborted" | "reason">): RunEnd {
  const reason: unknown = ending.aborted ? ending.reason : error;
  if (reason instanceof StopError) return { outcome: "stopped", stoppedBy: "stop" };
  if (reason instanceof DeadlineError) return { outcome: "stopped", stoppedBy: "deadline" };
  if (isBasisError(reason, "ChildPolicyError") && reason.code === "token_pool")
    return { outcome: "stopped", stoppedBy: "token_budget" };
  if (ending.aborted && !(reason instanceof LeaseLostError)) return { outcome: "cancelled" };
  return { outcome: "failed", failure: reason };
}
