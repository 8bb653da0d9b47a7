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
  readonly spent: boolean;
}

/** A ledger whose entries live `ttlMs`; a redeemed one is remembered for as long, to refuse its second use by name. */
export function createGrantLedger(ttlMs: number, clock: Clock): GrantLedger {
  const grants = new Map<string, Grant>();
  const judgements = new Map<string, Judgement>();
  /** Entries stand in the order of their expiry, so that only dead ones are looked at. */
  const dropExpired = (): void => {
    for (const [callKey, { expiresMonotonicMs }] of grants) {
      if (clock.monotonicMs() < expiresMonotonicMs + ttlMs) return;
      grants.delete(callKey);
    }
  };
  const isExpired = ({ expiresAt, expiresMonotonicMs }: Grant): boolean =>
    clock.now() >= expiresAt || clock.monotonicMs() >= expiresMonotonicMs;
  return {
    open(callKey) {
      const judgement: Judgement = { callKey };
      grants.delete(callKey);
      judgements.set(callKey, judgement);
      return judgement;
    },
    close(judgement) {
      if (judgements.get(judgement.callKey) === judgement) judgements.delete(judgement.callKey);
    },
    grant(judgement, digest) {
      const { callKey } = judgement;
      if (judgements.get(callKey) !== judgement) return undefined;
      dropExpired();
      const expiresAt = clock.now() + ttlMs;
      const expiresMonotonicMs = clock.monotonicMs() + ttlMs;
      grants.delete(callKey);
      grants.set(callKey, { digest, expiresAt, expiresMonotonicMs, spent: false });
      return expiresAt;
    },
    redeem(callKey, digest) {
      const grant = grants.get(callKey);
      if (grant === undefined) return undefined;
      if (grant.spent) return { ok: false, problem: "redeemed" };
      if (isExpired(grant)) return { ok: false, problem: "expired" };
      if (grant.digest !== digest) return { ok: false, problem: "changed" };
      grants.set(callKey, { ...grant, spent: true });
      return { ok: true };
    },
  };
}
