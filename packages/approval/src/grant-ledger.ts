import type { Clock } from "@basis/core";
import type { RedeemResult } from "./approval-record.ts";

/** Allows that wait to be redeemed in this process: one a call, short-lived. */
export interface GrantLedger {
  /** Keeps an allow, in place of any earlier one of the call; answers when it expires. */
  grant(callKey: string, digest: string): number;
  /** Forgets whatever was granted to the call. */
  withdraw(callKey: string): void;
  /** Uses an allow up; undefined when the ledger knows nothing of the call. */
  redeem(callKey: string, digest: string): RedeemResult | undefined;
}

interface Grant {
  readonly digest: string;
  readonly expiresAt: number;
  readonly spent: boolean;
}

/** A ledger whose entries live `ttlMs`; a redeemed one is remembered for as long, to refuse its second use by name. */
export function createGrantLedger(ttlMs: number, clock: Clock): GrantLedger {
  const grants = new Map<string, Grant>();
  /** Entries stand in the order of their expiry, so that only dead ones are looked at. */
  const dropExpired = (): void => {
    for (const [callKey, { expiresAt }] of grants) {
      if (clock.now() < expiresAt + ttlMs) return;
      grants.delete(callKey);
    }
  };
  return {
    grant(callKey, digest) {
      dropExpired();
      const expiresAt = clock.now() + ttlMs;
      grants.delete(callKey);
      grants.set(callKey, { digest, expiresAt, spent: false });
      return expiresAt;
    },
    withdraw: (callKey) => void grants.delete(callKey),
    redeem(callKey, digest) {
      const grant = grants.get(callKey);
      if (grant === undefined) return undefined;
      if (grant.spent) return { ok: false, problem: "redeemed" };
      if (clock.now() >= grant.expiresAt) return { ok: false, problem: "expired" };
      if (grant.digest !== digest) return { ok: false, problem: "changed" };
      grants.set(callKey, { ...grant, spent: true });
      return { ok: true };
    },
  };
}
