import { isForkError } from "@mobkit/fork";
import { recoverFork, type ForkReporting } from "./fork-session.ts";

/** Most forks that one sweep seats. */
const MOST = 32;

/**
 * Seats forks that were committed by a process that died before it seated them. One whose claim somebody holds, and one
 * that fails again, is left as it is and told in its source's log. Answers how many are seated now.
 */
export async function sweepForks(
  reporting: ForkReporting,
  { now, signal }: { readonly now: number; readonly signal?: AbortSignal | undefined },
): Promise<number> {
  const { items } = await reporting.forks.listForks({
    state: "committed",
    limit: MOST,
    ...(signal && { signal }),
  });
  let seated = 0;
  for (const { operationId, claimedUntil } of items) {
    if (claimedUntil !== null && claimedUntil > now) continue;
    signal?.throwIfAborted();
    try {
      await recoverFork(reporting, operationId);
      seated += 1;
    } catch (error) {
      if (!isForkError(error)) throw error;
    }
  }
  return seated;
}
