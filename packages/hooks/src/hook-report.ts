import type { HookFailure } from "./hook-decision.ts";
import type { HookEvent } from "./hook-request.ts";

/** What a report is about, beside its text. */
export interface HookReport {
  /** `failure`: a participant could not answer. `skipped`: hooks were left out. `warning`: something looks mistaken. */
  readonly kind: "failure" | "skipped" | "warning";
  readonly who?: string;
  readonly event?: HookEvent;
  readonly toolCallId?: string;
  readonly failure?: HookFailure;
  readonly path?: string;
}

/** Receives what an operator should read, one line each. */
export type Reporter = (message: string, report: HookReport) => void;
