import { invalidRequest } from "./request-checks.ts";
import type { WorkCounts } from "./store.ts";

/**
 * The counts of waiting work after a change. Pure.
 * @throws SessionError `invalid_request` for what is no whole number or falls below zero.
 */
export function nextWork(
  counts: WorkCounts,
  change: { readonly queuedInputs?: number | undefined; readonly pendingApprovals?: number | undefined },
): WorkCounts {
  return {
    queuedInputs: next("queuedInputs", counts.queuedInputs, change.queuedInputs ?? 0),
    pendingApprovals: next("pendingApprovals", counts.pendingApprovals, change.pendingApprovals ?? 0),
  };
}

function next(field: string, count: number, by: number): number {
  if (!Number.isSafeInteger(by)) throw invalidRequest(field, "must be a whole number");
  if (count + by < 0) throw invalidRequest(field, `would fall to ${count + by}`);
  return count + by;
}
