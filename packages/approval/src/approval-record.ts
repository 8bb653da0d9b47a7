import type { ApprovalSubject } from "./approval-request.ts";
import type { StaleCause } from "./approval-error.ts";

/** Where a parked approval stands. Being too old is not a state: it follows from `expiresAt`. */
export type ApprovalState = "open" | "allowed" | "denied" | "redeemed";

/** Who answered a parked approval, and how. */
export interface ApprovalResolution {
  readonly decision: "allow" | "deny";
  /** Who decided, as the host names people. */
  readonly by: string;
  readonly reason?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A question that waits for its answer, and afterwards the answer until it is used. Plain JSON. */
export interface ApprovalRecord extends ApprovalSubject {
  readonly approvalId: string;
  readonly state: ApprovalState;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch; from then on it neither resolves nor redeems. */
  readonly expiresAt: number;
  readonly resolution?: ApprovalResolution | undefined;
  readonly redeemedAt?: number | undefined;
}

/** What is redeemed: exactly this call, exactly this digest. */
export interface Redemption {
  readonly callKey: string;
  readonly digest: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What `resolve` answers. */
export type ResolveResult =
  | { readonly ok: true; readonly record: ApprovalRecord }
  | { readonly ok: false; readonly problem: "unknown" | "expired" | "resolved" | "redeemed" };

/** What `redeem` answers. Only `ok: true` lets a call through, and only once. */
export type RedeemResult =
  | { readonly ok: true; readonly record?: ApprovalRecord }
  | { readonly ok: false; readonly problem: StaleCause };

/** The transition of `resolve`, without any storage: an open, live record takes one answer. */
export function resolveApproval(
  record: ApprovalRecord | undefined,
  resolution: ApprovalResolution,
): ResolveResult {
  if (record === undefined) return { ok: false, problem: "unknown" };
  if (record.state === "redeemed") return { ok: false, problem: "redeemed" };
  if (record.state !== "open") return { ok: false, problem: "resolved" };
  if (!isLive(record, resolution.at)) return { ok: false, problem: "expired" };
  const state = resolution.decision === "allow" ? "allowed" : "denied";
  return {
    ok: true,
    record: Object.freeze({ ...record, state, resolution: Object.freeze({ ...resolution }) }),
  };
}

/** The transition of `redeem`, without any storage: an allowed, live record of this digest is used up. */
export function redeemApproval(record: ApprovalRecord | undefined, redemption: Redemption): RedeemResult {
  if (record === undefined || record.callKey !== redemption.callKey) return { ok: false, problem: "unknown" };
  if (record.state !== "allowed") return { ok: false, problem: record.state };
  if (!isLive(record, redemption.at)) return { ok: false, problem: "expired" };
  if (record.digest !== redemption.digest) return { ok: false, problem: "changed" };
  return { ok: true, record: Object.freeze({ ...record, state: "redeemed", redeemedAt: redemption.at }) };
}

/** True while a record can still be answered or used. */
export function isLive(record: ApprovalRecord, nowMs: number): boolean {
  return nowMs < record.expiresAt;
}
