import { DeadlineError, joinSignals, type Clock } from "@basis/core";
import { ForkError, type AnyForkError } from "./fork-error.ts";
import { asForkError } from "./store-refusal.ts";

/** The two signals of a call: what it waits under, and what its work after the commit runs under. */
export interface CallDeadline {
  /** Aborts with the caller's signal and at the deadline. */
  readonly waiting: AbortSignal;
  /** Aborts at the deadline alone: once something is committed, the caller's going away stops nothing. Undefined without one. */
  readonly running: AbortSignal | undefined;
  /** Drops timer and listeners. */
  release(): void;
}

/** Starts a call's deadline. */
export function openDeadline(
  options: { readonly signal?: AbortSignal; readonly deadlineMs?: number },
  clock: Clock,
): CallDeadline {
  const { signal, deadlineMs } = options;
  if (deadlineMs === undefined) return withoutDeadline(signal);
  const late = new AbortController();
  const cancel = clock.alarm(deadlineMs, () => late.abort(new DeadlineError(deadlineMs)));
  const joined = signal && joinSignals(signal, late.signal);
  return {
    waiting: joined?.signal ?? late.signal,
    running: late.signal,
    release() {
      cancel();
      joined?.release();
    },
  };
}

/** The ports get a signal of this call's own when the caller gave none: what they leave on it goes with the call. */
function withoutDeadline(signal = new AbortController().signal): CallDeadline {
  return { waiting: signal, running: undefined, release: () => undefined };
}

/** What a call rejects with: the end of its wait, a ForkError as it is, anything else as the failure of a port. */
export function endedBy(
  signal: AbortSignal | undefined,
  error: unknown,
  stage: "read" | "resume",
): AnyForkError {
  if (signal?.aborted && error === signal.reason) return givenUp(signal, stage === "resume");
  return asForkError(error, stage);
}

/** The error for a call that a signal ended while it waited. `committed`: its child had been there before. */
function givenUp(
  signal: AbortSignal,
  committed: boolean,
): ForkError<"fork_cancelled"> | ForkError<"fork_deadline_exceeded"> {
  const cause: unknown = signal.reason;
  if (cause instanceof DeadlineError) {
    const { timeoutMs } = cause;
    const details = { deadlineMs: timeoutMs };
    const text = `the fork could not begin within ${timeoutMs} ms`;
    return new ForkError("fork_deadline_exceeded", text, { details, cause, committed });
  }
  const text = "the fork was cancelled before it had any effect";
  return new ForkError("fork_cancelled", text, { details: {}, cause, committed });
}
