import type { Clock } from "@basis/core";
import type { RetryPolicy } from "./retries.ts";
import type { WatchdogLimits } from "./watchdogs.ts";

/** How a model is run, whichever provider serves it. */
export interface RunSettings {
  /** Default: connect 15 s, first event 90 s, idle 120 s. */
  readonly watchdogs?: Partial<WatchdogLimits>;
  /** Default: four attempts. */
  readonly retries?: Partial<RetryPolicy>;
  readonly clock?: Clock;
  /** The random part of a retry's pause: a number from 0 to below 1. */
  readonly random?: () => number;
}
