import type { TokenUsage } from "./usage.ts";

/** How a run ended: by itself, by a bound or a stop, by the caller's cancel, waiting for an approval, or by a failure. */
export type RunOutcome = "completed" | "stopped" | "cancelled" | "parked" | "failed";

/** What ended a run that did not end by itself. */
export type StoppedBy = "stop" | "deadline" | "tool_budget" | "token_budget" | "rounds" | "output";

/** The account of one run, whole on every path. Used by typed-output and the hosts that run its turns. */
export interface RunReport {
  readonly runId: string;
  readonly outcome: RunOutcome;
  /** Summed over every model round, the failed ones and the children included. */
  readonly usage: TokenUsage;
  readonly stoppedBy?: StoppedBy;
  /** What went wrong; present exactly when `outcome` is `failed`. */
  readonly failure?: unknown;
  /** The rows of the transcript that belong to this run, `from` included, `to` not. */
  readonly transcript?: { readonly sessionId: string; readonly from: number; readonly to: number };
  /** Where the run's events went, as the host names it. */
  readonly sink?: string;
  /** The approval a parked run waits for. */
  readonly approvalId?: string;
  /** The last text the model wrote; empty when it wrote none. */
  readonly text?: string;
}
