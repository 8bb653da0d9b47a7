import { DeadlineError, onAbort, type Clock } from "@basis/core";
import { Cue } from "../run/cue.ts";
import type { CancelWatch } from "./cancel-watch.ts";
import type { RunBounds } from "../run/run-bounds.ts";
import { CancelError, StopError } from "./run-end.ts";

/** Gives the word with the first of the signals and for its reason; the answer stops that. */
export function follow(signals: readonly (AbortSignal | Cue | undefined)[], ending: Cue): () => void {
  const undo: (() => void)[] = [];
  for (const signal of signals) {
    if (signal instanceof Cue) signal.lead(ending);
    else if (signal !== undefined) undo.push(followSignal(signal, ending));
  }
  return () => {
    for (const step of undo) step();
    for (const signal of signals) if (signal instanceof Cue) signal.leave(ending);
  };
}

function followSignal(signal: AbortSignal, ending: Cue): () => void {
  if (signal.aborted) ending.abort(signal.reason);
  return onAbort(signal, () => ending.abort(signal.reason));
}

/** Gives the word when another process asks for the run's end: rolled back, or with its work kept. */
export function hearRequests(requests: CancelWatch, runId: string, ending: Cue): () => void {
  return requests.watch(runId, (asked) => {
    const isStop = asked === "stop";
    ending.abort(isStop ? new StopError("the run was stopped") : new CancelError("the run was cancelled"));
  });
}

/** The longest delay a timer can keep; beyond it the deadline is held between rounds alone. */
const MAX_DELAY_MS = 2_147_483_647;

/** Gives the word at the run's deadline; the answer cancels that. */
export function watchDeadline(bounds: RunBounds, clock: Clock, ending: Cue): () => void {
  const ms = bounds.remainingMs();
  if (ms === undefined || ms > MAX_DELAY_MS) return () => undefined;
  return clock.alarm(ms, () => ending.abort(new DeadlineError(Math.ceil(ms))));
}
