import type { JsonObject, JsonValue } from "@basis/core";
import type { ForkChild, ForkOperation } from "./fork-operation.ts";
import type { Claim } from "./lease.ts";
import type { MemberRecord } from "./member.ts";
import type { CallOptions } from "./page.ts";
import type { SessionRecord } from "./session-record.ts";
import type { SideState } from "./side-state.ts";
import type { PrefixRecord } from "./transcript-row.ts";

/**
 * Where to fork. A number is a count of messages; `messageId` ends with that message, `turnId` with the last message of
 * that turn; `"settled"` is the greatest length with nothing open. Omitted: the exact end at the time of the commit.
 */
export type ForkPoint = number | { readonly messageId: string } | { readonly turnId: string } | "settled";

/** What to fork, and under which conditions. */
export interface ForkPointRequest {
  /** The member and the session that the caller found it on; both are checked again in the transaction. */
  readonly source: { readonly member: string; readonly sessionId: string };
  readonly at?: ForkPoint | undefined;
  /** `digest` is that of the prefix at the boundary, `rev` the source's revision; a difference is `revision_changed`. */
  readonly expect?: { readonly digest?: string | undefined; readonly rev?: number | undefined } | undefined;
  /** Allows a fork of no message at all. Default false. */
  readonly allowEmpty?: boolean | undefined;
  /** Default `refuse`. With `settled` a running source is forked, and an omitted `at` means its settled length. */
  readonly whileRunning?: "refuse" | "settled" | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A fork to commit. */
export interface ForkCommitRequest<M> extends ForkPointRequest {
  readonly child: ForkChild;
  readonly initialMessage?: M | undefined;
  /** At most one child comes of a key. */
  readonly idempotencyKey?: string | undefined;
  /** The digest of the fork request's body; the same key with another one is `idempotency_conflict`. */
  readonly requestDigest: string;
  /** Kept in the operation as it is. */
  readonly request: JsonObject;
  /** Takes the first claim in the same transaction. */
  readonly claim: { readonly owner: string; readonly ttlMs: number };
}

/** What a commit answers. */
export interface ForkCommit<M> {
  readonly operation: ForkOperation<M>;
  readonly session: SessionRecord;
  /** The first claim; null when `replayed`: then ask `operations.claim`. */
  readonly claim: Claim | null;
  /** True when the idempotency key had been used: nothing was written. */
  readonly replayed: boolean;
}

/** What the provisioner answered for the claim's operation. */
export interface ForkSeatRequest {
  readonly claim: Claim;
  readonly agentIdentity?: string | undefined;
  /** Anything more that is to be kept with the operation, such as the cache verdict. */
  readonly provision?: JsonValue | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a seat answers. */
export interface ForkSeat<M> {
  readonly operation: ForkOperation<M>;
  readonly session: SessionRecord;
  readonly member: MemberRecord;
  /** True when the same claim had seated it before: nothing was written. */
  readonly replayed: boolean;
}

/** Which member is to be forked, and what of its session's side state decides on the child. */
export interface ForkSourceRequest extends CallOptions {
  readonly member: string;
  /** A kind of side state. */
  readonly kind: string;
}

/** What a fork has to know of its source before it can be asked for. */
export interface ForkSource {
  readonly member: MemberRecord;
  /** The request of the operation that made the member's session; undefined for one that no fork made. */
  readonly madeBy: JsonObject | undefined;
  /** The session's value of the kind asked for. */
  readonly sideState: SideState | undefined;
}

/** The three transitions of a fork, each one transaction. */
export interface SessionForks<M> {
  /** What `members.get`, `operations.ofSession` and `sideState` tell of a seated member, in one look; undefined for none. */
  source(request: ForkSourceRequest): Promise<ForkSource | undefined>;
  /** The boundary that a commit with this request would take, without writing. Refuses as the commit would. */
  inspect(request: ForkPointRequest): Promise<PrefixRecord>;
  /**
   * Reserves the child's name, checks source and boundary, and writes the child session (`pending`), its spans, the
   * operation and the outbox event `fork.committed`. Copies no message.
   *
   * @throws SessionError `idempotency_conflict`, `unknown_member` and `unknown_session` (source), `source_unavailable`,
   * `member_already_exists` (child), `fork_boundary`, `blob_missing`, `invalid_message` (initial message);
   * checked in this order.
   */
  commit(request: ForkCommitRequest<M>): Promise<ForkCommit<M>>;
  /**
   * Makes the child's session `ready`, binds the member to it, and closes the operation as `seated`. An initial message
   * becomes the outbox event `session.input` with key `fork-input:OPERATION`, and counts as one queued input until
   * a write acknowledges it. A second seat by the same claim is answered, not repeated.
   *
   * @throws SessionError `unknown_operation`, `stale_claim` (also when another claim seated it: tear down), `operation_closed` (abandoned).
   */
  seat(request: ForkSeatRequest): Promise<ForkSeat<M>>;
  /**
   * Gives a committed fork up: the operation is `abandoned`, its session a `tombstone`, its name free, any older claim
   * stale. Abandoning again is answered with the same. With `claim` the own claim may be live.
   *
   * @throws SessionError `unknown_operation`, `claim_held`, `stale_claim`, `operation_closed` (seated).
   */
  abandon(
    request: CallOptions & { readonly operationId: string; readonly claim?: Claim | undefined },
  ): Promise<ForkOperation<M>>;
}
