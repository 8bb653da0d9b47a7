import {
  redeemApproval,
  resolveApproval,
  type ApprovalRecord,
  type ApprovalResolution,
  type ApprovalState,
  type RedeemResult,
  type Redemption,
  type ResolveResult,
} from "./approval-record.ts";
import type { MaybePromise } from "./store-patience.ts";

/** What `list` is narrowed to; absent means any. */
export interface ApprovalFilter {
  readonly callKey?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly state?: ApprovalState | undefined;
}

/**
 * Where parked approvals live. It may be synchronous or not.
 *
 * `resolve` and `redeem` each read and write in one step that no other writer can come between:
 * the pure `resolveApproval` and `redeemApproval` of `@basis/approval/store` inside the store's transaction.
 * A host that records its intent to execute calls `redeem` of a view on its own open transaction
 * (`gate.redeem(…, {store})` or `gate.redeemSync`), so that using an approval up and recording the intent are one commit.
 */
export interface ApprovalStore {
  /** How reports call it. Default `the approval store`. */
  readonly name?: string | undefined;
  /** Keeps a new record; an `approvalId` that is there already is refused by throwing. */
  put(record: ApprovalRecord): MaybePromise<void>;
  get(approvalId: string): MaybePromise<ApprovalRecord | undefined>;
  /** Records from the oldest to the newest. */
  list(filter?: ApprovalFilter): MaybePromise<readonly ApprovalRecord[]>;
  resolve(approvalId: string, resolution: ApprovalResolution): MaybePromise<ResolveResult>;
  /** Uses up the newest record of the call. */
  redeem(redemption: Redemption): MaybePromise<RedeemResult>;
}

/** A store all of whose answers are there at once. */
export interface SyncApprovalStore extends ApprovalStore {
  put(record: ApprovalRecord): void;
  get(approvalId: string): ApprovalRecord | undefined;
  list(filter?: ApprovalFilter): readonly ApprovalRecord[];
  resolve(approvalId: string, resolution: ApprovalResolution): ResolveResult;
  redeem(redemption: Redemption): RedeemResult;
}

/** Parked approvals in memory, lost with the process. */
export function memoryApprovalStore(): SyncApprovalStore {
  const records = new Map<string, ApprovalRecord>();
  const keep = <Result extends ResolveResult | RedeemResult>(result: Result): Result => {
    if (result.ok && result.record) records.set(result.record.approvalId, result.record);
    return result;
  };
  const list = (filter: ApprovalFilter = {}): readonly ApprovalRecord[] =>
    [...records.values()].filter((record) => fits(record, filter));
  return {
    name: "the approval store in memory",
    put(record) {
      if (records.has(record.approvalId)) throw new Error(`approval ${record.approvalId} is there already`);
      records.set(record.approvalId, record);
    },
    get: (approvalId) => records.get(approvalId),
    list,
    resolve: (approvalId, resolution) => keep(resolveApproval(records.get(approvalId), resolution)),
    redeem: (redemption) => keep(redeemApproval(list({ callKey: redemption.callKey }).at(-1), redemption)),
  };
}

function fits(record: ApprovalRecord, filter: ApprovalFilter): boolean {
  if (filter.callKey !== undefined && record.callKey !== filter.callKey) return false;
  if (filter.sessionId !== undefined && record.sessionId !== filter.sessionId) return false;
  return filter.state === undefined || record.state === filter.state;
}
