import { onAbort, type Clock } from "@basis/core";
import { isSessionError, type Claim, type ForkLedger } from "@mobkit/session";

/** A claim that is renewed until stopped. */
export interface ClaimKeeper {
  /** Aborts when somebody else has taken the claim, and with the signal that the work runs under. Made when first asked for. */
  readonly signal: AbortSignal;
  stop(): void;
}

/** Renews a claim every third of its time to live. A renewal that the store could not answer is tried again. */
export function keepClaim(
  operations: Pick<ForkLedger<unknown>, "renew">,
  claim: Claim,
  work: { readonly clock: Clock; readonly running: AbortSignal | undefined },
): ClaimKeeper {
  return new KeptClaim(operations, claim, work);
}

class KeptClaim implements ClaimKeeper {
  readonly #operations: Pick<ForkLedger<unknown>, "renew">;
  readonly #claim: Claim;
  readonly #clock: Clock;
  readonly #running: AbortSignal | undefined;
  #held: AbortController | undefined;
  /** What took the claim away; undefined while it is held. */
  #lost: unknown;
  #stopped = false;
  #cancel: (() => void) | undefined;
  #stopFollowing: (() => void) | undefined;

  constructor(
    operations: Pick<ForkLedger<unknown>, "renew">,
    claim: Claim,
    work: { readonly clock: Clock; readonly running: AbortSignal | undefined },
  ) {
    this.#operations = operations;
    this.#claim = claim;
    this.#clock = work.clock;
    this.#running = work.running;
    this.#schedule();
  }

  get signal(): AbortSignal {
    this.#held ??= this.#hold();
    return this.#held.signal;
  }

  stop(): void {
    this.#stopped = true;
    this.#stopFollowing?.();
    this.#cancel?.();
  }

  #hold(): AbortController {
    const held = new AbortController();
    const running = this.#running;
    if (this.#lost !== undefined) held.abort(this.#lost);
    else if (running?.aborted) held.abort(running.reason);
    else if (running) this.#stopFollowing = onAbort(running, () => held.abort(running.reason));
    return held;
  }

  #schedule(): void {
    this.#cancel = this.#clock.alarm(this.#claim.ttlMs / 3, () => void this.#renew());
  }

  async #renew(): Promise<void> {
    try {
      await this.#operations.renew(this.#claim);
    } catch (error) {
      if (isSessionError(error, "stale_claim") || isSessionError(error, "operation_closed")) {
        this.#lost = error;
        this.#held?.abort(error);
        return;
      }
    }
    if (!this.#stopped) this.#schedule();
  }
}
