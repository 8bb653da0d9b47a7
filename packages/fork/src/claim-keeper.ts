import { onAbort, type Clock } from "@basis/core";
import { isSessionError, type Claim, type ForkLedger } from "@mobkit/session";

/** A claim that is renewed until stopped. */
export interface ClaimKeeper {
  /** Aborts when somebody else has taken the claim, and with the signal that the work runs under. */
  readonly signal: AbortSignal;
  stop(): void;
}

/** Renews a claim every third of its time to live. A renewal that the store could not answer is tried again. */
export function keepClaim(
  operations: Pick<ForkLedger<unknown>, "renew">,
  claim: Claim,
  work: { readonly clock: Clock; readonly running: AbortSignal | undefined },
): ClaimKeeper {
  const { clock, running } = work;
  const held = new AbortController();
  const stopFollowing = running && onAbort(running, () => held.abort(running.reason));
  if (running?.aborted) held.abort(running.reason);
  let stopped = false;
  let cancel: () => void;
  const renew = async (): Promise<void> => {
    try {
      await operations.renew(claim);
    } catch (error) {
      if (isSessionError(error, "stale_claim") || isSessionError(error, "operation_closed")) {
        held.abort(error);
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
    signal: held.signal,
    stop() {
      stopped = true;
      stopFollowing?.();
      cancel();
    },
  };
}
