import type { StoppedBy } from "@basis/core";
import type { OutputStatus } from "@basis/typed-output";
import type { Later } from "../../events/event-log.ts";
import type { RoundAnswer, RoundOffer } from "../model/ask-model.ts";
import type { QueuedCall } from "../calls/queued-call.ts";
import type { RunContext } from "../run/run-context.ts";

/** The end of a turn; without `stoppedBy` it is complete. */
export interface EndStep {
  readonly kind: "end";
  readonly stoppedBy?: StoppedBy | undefined;
  /** Of a typed turn: how its answer ended. */
  readonly output?: OutputStatus | undefined;
}

/** What follows a round. */
export type NextStep =
  | { readonly kind: "continue" }
  | EndStep
  | { readonly kind: "parked"; readonly approvalId: string };

/** The next request, or the end of the turn. `message` is appended to the transcript as the user's before it. */
export type NextRound =
  | { readonly kind: "round"; readonly offer: RoundOffer; readonly message?: string | undefined }
  | EndStep;

/** Decides what each round asks and what its answer means: once for prose turns, once for typed ones. */
export interface TurnDirector {
  /** True when an answer without calls always ends the turn, so that its row may close it. */
  readonly endsWithProse: boolean;
  next(run: RunContext): NextRound;
  /** True when a request that the provider refused should be asked again, as `next` then says. */
  refused(error: unknown): boolean;
  calls(run: RunContext, calls: readonly QueuedCall[], answer: RoundAnswer): Later<NextStep>;
  prose(run: RunContext, answer: RoundAnswer): Later<NextStep>;
}
