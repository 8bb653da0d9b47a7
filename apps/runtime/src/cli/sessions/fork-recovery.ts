import { setTimeout as sleep } from "node:timers/promises";
import { isForkError, type ForkResult, type ForkStatus } from "@mobkit/fork";
import { recoverFork, type ForkReporting } from "../../agent/forks/fork-session.ts";
import { progress } from "../terminal/output-format.ts";

const MARGIN_MS = 250;

/**
 * Seats a committed fork, named by its operation or by its session. While a process that died under it still has the
 * claim, that is waited for once, and told.
 *
 * @throws ForkError
 */
export async function recoverNamedFork(
  reporting: ForkReporting,
  id: string,
  signal: AbortSignal,
): Promise<ForkResult> {
  const { operationId } = await findFork(reporting.forks, id);
  try {
    return await recoverFork(reporting, operationId);
  } catch (error) {
    if (!isForkError(error, "fork_in_progress")) throw error;
    const { claimedUntil } = await reporting.forks.forkStatus({ operationId });
    const wait = Math.max(0, (claimedUntil ?? 0) - Date.now()) + MARGIN_MS;
    progress(
      `another process has the claim to seat it; if it died, that runs out in ${Math.ceil(wait / 1000)} s`,
    );
    await sleep(wait, undefined, { signal });
    return recoverFork(reporting, operationId);
  }
}

async function findFork(forks: ForkReporting["forks"], id: string): Promise<ForkStatus> {
  try {
    return await forks.forkStatus({ operationId: id });
  } catch (error) {
    if (!isForkError(error, "fork_operation_not_found")) throw error;
    return forks.forkStatus({ sessionId: id });
  }
}
