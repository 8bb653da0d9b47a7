import { newId, type Clock } from "@basis/core";
import { isLive, type ApprovalRecord } from "./approval-record.ts";
import type { ApprovalSubject } from "./approval-request.ts";
import type { ApprovalStore } from "./approval-store.ts";
import { deny, denyFailed, type AuthorizeOutcome } from "./authorize-outcome.ts";
import {
  caught,
  settleSoon,
  storeName,
  whenThere,
  type MaybePromise,
  type StorePatience,
} from "./store-patience.ts";

/** Leaves the question in the store. Nothing is parked unless the store took it. */
export async function parkApproval(
  store: ApprovalStore,
  subject: ApprovalSubject,
  options: StorePatience & { readonly parkTtlMs: number },
): Promise<AuthorizeOutcome> {
  const createdAt = options.clock.now();
  const expiresAt = createdAt + options.parkTtlMs;
  const approvalId = newId(createdAt);
  const record: ApprovalRecord = { ...subject, approvalId, state: "open", createdAt, expiresAt };
  try {
    await settleSoon(() => store.put(Object.freeze(record)), options);
  } catch (cause) {
    options.signal?.throwIfAborted();
    return denyFailed(storeName(store), "it could not keep the question", cause);
  }
  return { decision: "parked", approvalId, digest: subject.digest, expiresAt };
}

/** What an earlier question about this call says; undefined when there is none, or it was used up. */
export function consultParked(
  store: ApprovalStore,
  subject: ApprovalSubject,
  options: StorePatience,
): MaybePromise<AuthorizeOutcome | undefined> {
  const list = (): MaybePromise<readonly ApprovalRecord[]> => store.list({ callKey: subject.callKey });
  return caught(
    () =>
      whenThere(settleSoon(list, options), (records) => {
        const record = records.at(-1);
        return record === undefined ? undefined : outcomeOf(record, subject, options.clock);
      }),
    (cause) => {
      options.signal?.throwIfAborted();
      return denyFailed(storeName(store), "it failed", cause);
    },
  );
}

function outcomeOf(
  record: ApprovalRecord,
  subject: ApprovalSubject,
  clock: Clock,
): AuthorizeOutcome | undefined {
  const { approvalId, digest, expiresAt, state } = record;
  const { by = "the operator", reason = "the operator refused this call" } = record.resolution ?? {};
  if (state === "redeemed") return undefined;
  if (state === "denied") return deny(reason, { by, approvalId });
  const refusal = refusalOf(record, subject, clock);
  if (refusal !== undefined) return deny(refusal, { by: "the approval gate", approvalId });
  if (state === "allowed") return { decision: "allow", digest, expiresAt, by, approvalId };
  return { decision: "parked", approvalId, digest, expiresAt };
}

function refusalOf(record: ApprovalRecord, subject: ApprovalSubject, clock: Clock): string | undefined {
  if (!isLive(record, clock.now())) return "the approval for this call expired before it was used";
  if (record.digest === subject.digest) return undefined;
  return "stale_approval: the call is no longer the one the approval was asked for";
}
