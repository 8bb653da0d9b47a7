import { ChildPolicyError } from "./child-policy-error.ts";

/** Tokens set aside for one model round. The first of `settle` and `refund` counts, later ones do nothing. */
export interface TokenReservation {
  /** What was set aside: what was asked for, or the rest of the pool. */
  readonly granted: number;
  /** Books what the round really took and gives the rest back. */
  settle(actualTokens: number): void;
  /** Gives all of it back: the round did not happen. */
  refund(): void;
}

/** The tokens of a whole tree of runs. Parent and children draw from the one object. */
export interface TokenPool {
  /** `Infinity` when there is no limit. */
  readonly limit: number;
  readonly used: number;
  readonly reserved: number;
  /** What neither is used nor set aside; never below 0. */
  readonly remaining: number;
  /** @throws ChildPolicyError `token_pool` when nothing remains. */
  check(): void;
  /**
   * Sets tokens aside before a model round. As every round holds a reservation, the pool overshoots by no more than
   * what one round in flight per run takes beyond its estimate.
   *
   * @throws ChildPolicyError `token_pool` when nothing remains.
   */
  reserve(estimatedTokens: number): TokenReservation;
}

/** A pool of which `used` tokens are gone already. */
export function createTokenPool(limit: number, usedBefore: number): TokenPool {
  return new Pool(limit, usedBefore);
}

class Pool implements TokenPool {
  readonly limit: number;
  used: number;
  reserved = 0;

  constructor(limit: number, used: number) {
    this.limit = limit;
    this.used = used;
  }

  get remaining(): number {
    return Math.max(0, this.limit - this.used - this.reserved);
  }

  check(): void {
    if (this.remaining > 0) return;
    const { used, limit, reserved } = this;
    throw new ChildPolicyError(
      "token_pool",
      `the token pool of this work is used up (${used} of ${limit} used, ${reserved} set aside): finish with what is there`,
      { details: { used, limit } },
    );
  }

  reserve(estimatedTokens: number): TokenReservation {
    this.check();
    const granted = Math.min(atLeastOne(estimatedTokens), this.remaining);
    this.reserved += granted;
    let open = true;
    const close = (actualTokens: number): void => {
      if (!open) return;
      open = false;
      this.reserved -= granted;
      this.used += actualTokens;
    };
    return {
      granted,
      settle: (actualTokens) => close(Number.isFinite(actualTokens) ? Math.max(0, actualTokens) : granted),
      refund: () => close(0),
    };
  }
}

function atLeastOne(tokens: number): number {
  return Number.isFinite(tokens) ? Math.max(1, Math.ceil(tokens)) : 1;
}
