import type { Clock } from "@basis/core";
import { ApprovalError } from "./approval-error.ts";
import type { RedeemResult, Redemption } from "./approval-record.ts";
import type { ApprovalStore, SyncApprovalStore } from "./approval-store.ts";
import type { GrantLedger } from "./grant-ledger.ts";
import { isThenable, settleSoon, storeName, type StorePatience } from "./store-patience.ts";

/** What is about to be executed: its key, and the digest as derived again. */
export type RedeemCall = Pick<Redemption, "callKey" | "digest">;

/** The part of a store that redeeming needs: the store itself, or a view of it on the host's open transaction. */
export type RedeemStore = Pick<ApprovalStore, "redeem" | "name">;

/** `RedeemStore` for a transaction that cannot await. */
export type SyncRedeemStore = Pick<SyncApprovalStore, "redeem" | "name">;

/** Where allows are looked up: this process's own first, then the store. */
export interface Redeemer {
  readonly grants: GrantLedger;
  readonly clock: Clock;
}

/** Uses an allow up, or throws `stale_approval` or `store_failed`. */
export async function redeemCall(
  call: RedeemCall,
  store: RedeemStore,
  options: Redeemer & StorePatience,
): Promise<void> {
  const { grants, clock, signal } = options;
  signal?.throwIfAborted();
  let result = grants.redeem(call.callKey, call.digest);
  try {
    result ??= await settleSoon(() => store.redeem(redemption(call, clock)), options);
  } catch (cause) {
    signal?.throwIfAborted();
    throw storeFailed(store, cause);
  }
  assertRedeemed(call, result);
}

/** `redeemCall` without waiting; throws `async_store` when the store's answer is a promise. */
export function redeemCallSync(call: RedeemCall, store: SyncRedeemStore, { grants, clock }: Redeemer): void {
  let result: unknown = grants.redeem(call.callKey, call.digest);
  try {
    result ??= store.redeem(redemption(call, clock));
  } catch (cause) {
    throw storeFailed(store, cause);
  }
  if (isThenable(result)) {
    const name = storeName(store);
    throw new ApprovalError("async_store", `${name} answers with a promise: use redeem`, {
      details: { store: name },
    });
  }
  assertRedeemed(call, result);
}

function redemption({ callKey, digest }: RedeemCall, clock: Clock): Redemption {
  return { callKey, digest, at: clock.now() };
}

function storeFailed(store: RedeemStore, cause: unknown): ApprovalError<"store_failed"> {
  const name = storeName(store);
  return new ApprovalError("store_failed", `${name} did not redeem the approval`, {
    details: { store: name },
    cause,
  });
}

/** Anything but a clear yes is stale. */
function assertRedeemed({ callKey }: RedeemCall, answer: unknown): void {
  const result = answer as RedeemResult | undefined;
  if (result?.ok === true) return;
  const cause = result?.problem ?? "unknown";
  throw new ApprovalError("stale_approval", `the call is not covered by a live approval: ${cause}`, {
    details: { callKey, cause },
  });
}
