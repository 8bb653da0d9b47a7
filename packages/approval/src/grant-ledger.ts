import type { Clock } from "@basis/core";
import type { RedeemResult } from "./approval-record.ts";

/** A judgement of a call that is under way. */
export type Judgement = { readonly callKey: string };

/** Allows that wait to be redeemed in this process: one a call, short-lived. */
export interface GrantLedger {
  /** A judgement of the call begins: earlier allows of it are forgotten, and earlier judgements can grant nothing any more. */
  open(callKey: string): Judgement;
  /** The judgement has ended. */
  close(judgement: Judgement): void;
  /** Keeps an allow and answers when it expires; undefined when another judgement of the call began meanwhile. */
  grant(judgement: Judgement, digest: string): number | undefined;
  /** Uses an allow up; undefined when the ledger knows nothing of the call. */
  redeem(callKey: string, digest: string): RedeemResult | undefined;
}

interface Grant {
  readonly digest: string;
  readonly expiresAt: number;
  /** The same moment by the clock that never goes back. */
  readonly expiresMonotonicMs: number;
  spent: boolean;
}

/** A ledger whose grants live `ttlMs`; a redeemed one is remembered for as long, to refuse its second use by name. */
export function createGrantLedger(ttlMs: number, clock: Clock): GrantLedger {
  /** What each call came to: its latest judgement while that is under way, and then its grant. */
  const calls = new Map<string, Judgement | Grant>();
  /** Grants stand in the order of their expiry, so that beside judgements only dead ones are looked at. */
  const dropExpired = (): void => {
    for (const [callKey, entry] of calls) {
      if (!isGrant(entry)) continue;
      if (clock.monotonicMs() < entry.expiresMonotonicMs + ttlMs) return;
      calls.delete(callKey);
    }
  };
  const isExpired = ({ expiresAt, expiresMonotonicMs }: Grant): boolean =>
    clock.now() >= expiresAt || clock.monotonicMs() >= expiresMonotonicMs;
  return {
    open(callKey) {
      const judgement: Judgement = { callKey };
      calls.set(callKey, judgement);
      return judgement;
    },
    close(judgement) {
      if (calls.get(judgement.callKey) === judgement) calls.delete(judgement.callKey);
    },
    grant(judgement, digest) {
      const { callKey } = judgement;
      if (calls.get(callKey) !== judgement) return undefined;
      dropExpired();
      const expiresAt = clock.now() + ttlMs;
      const expiresMonotonicMs = clock.monotonicMs() + ttlMs;
      calls.delete(callKey);
      calls.set(callKey, { digest, expiresAt, expiresMonotonicMs, spent: false });
      return expiresAt;
    },
    redeem(callKey, digest) {
      const grant = calls.get(callKey);
      if (grant === undefined || !isGrant(grant)) return undefined;
      if (grant.spent) return { ok: false, problem: "redeemed" };
      if (isExpired(grant)) return { ok: false, problem: "expired" };
      if (grant.digest !== digest) return { ok: false, problem: "changed" };
      grant.spent = true;
      return { ok: true };
    },
  };
}

function isGrant(entry: Judgement | Grant): entry is Grant {
  return "digest" in entry;
}
