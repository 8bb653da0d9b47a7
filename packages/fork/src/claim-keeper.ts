import type { Clock } from "@basis/core";
import { isSessionError, type Claim, type ForkLedger } from "@mobkit/session";

/** A claim that is renewed until stopped. */
export interface ClaimKeeper {
  /** Aborts when somebody else has taken the claim. */
  readonly lost: AbortSignal;
  stop(): void;
}

/** Renews a claim every third of its time to live. A renewal that the store could not answer is tried again. */
export function keepClaim(
  operations: Pick<ForkLedger<unknown>, "renew">,
  claim: Claim,
  clock: Clock,
): ClaimKeeper {
  const lost = new AbortController();
  let stopped = false;
  let cancel: () => void;
  const renew = async (): Promise<void> => {
    try {
      await operations.renew(claim);
    } catch (error) {
      if (isSessionError(error, "stale_claim") || isSessionError(error, "operation_closed")) {
        lost.abort(error);
        return;
      }
    }
    if (!stopped) schedule();
  };
  const schedule = (): void => {
    cancel = clock.alarm(claim.ttlMs / 3, () => void renew());
  };
  schedule();
  return {
    lost: lost.signal,
    stop() {
      stopped = true;
      cancel();
    },
  };
}
