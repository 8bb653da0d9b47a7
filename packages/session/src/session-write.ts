import type { TokenUsage } from "@basis/core";
import type { NewContextMark } from "./context-mark.ts";
import type { Lease } from "./lease.ts";
import type { NewOutboxEvent } from "./outbox.ts";
import type { SideStateWrite } from "./side-state.ts";

/** Runs inside a write's transaction. */
export type Join<Tx> = (tx: Tx) => void | PromiseLike<void>;

/**
 * What any fenced write may change beside the transcript, all in one transaction.
 * Omitted fields change nothing.
 */
export interface SessionChange<Tx = unknown> {
  readonly lease: Lease;
  /** The revision that the caller has seen; another one is `revision_conflict`. */
  readonly expectedRev: number;
  /**
   * Makes a retry safe when the reply was lost: the same id with the same content answers the first result again
   * (`replayed`), before lease and revision are looked at; with other content it is `write_id_conflict`. Unique in the
   * session; remembered for at least its last 256 writes. Content is everything but lease, revision, release, join and signal.
   */
  readonly writeId?: string | undefined;
  /**
   * Frees the lease with this write, as `releaseLease` would after it; later writes with it are `stale_fence`. A refused
   * write frees nothing. Only where the store's capabilities say `releasingWrites`; others pass it over. Default false.
   */
  readonly release?: boolean | undefined;
  /** Opens a turn, or closes it with null. */
  readonly runTurn?: string | null | undefined;
  /** Added to the counts, and may be negative; a count never falls below zero (`invalid_request`). */
  readonly queuedInputs?: number | undefined;
  readonly pendingApprovals?: number | undefined;
  /** Added to the session's own usage, and charged to the last message of an append. */
  readonly usage?: Partial<TokenUsage> | undefined;
  /** A blob's digest; `blob_missing` when it isn't stored. */
  readonly requestHead?: string | null | undefined;
  readonly sideState?: readonly SideStateWrite[] | undefined;
  readonly events?: readonly NewOutboxEvent[] | undefined;
  /** Outbox events that this write deals with; one that is gone refuses all of it (`event_consumed`). */
  readonly consumes?: readonly string[] | undefined;
  /**
   * Called last before the commit, with the store's own transaction, after every check has passed; what it throws undoes
   * all of it and reaches the caller. Embedded stores call it synchronously and refuse a promise (`invalid_request`).
   * Not called for a replayed write.
   */
  readonly join?: Join<Tx> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Messages for the end of the transcript. */
export interface AppendRequest<M, Tx = unknown> extends SessionChange<Tx> {
  /** At least one; all or none are appended. */
  readonly messages: readonly M[];
  /** Their ids, as many as there are messages. Default: new UUIDs. */
  readonly ids?: readonly string[] | undefined;
  /** The turn they belong to. */
  readonly turnId?: string | undefined;
  /** Blobs that the last message refers to; `blob_missing` when one isn't stored. */
  readonly blobs?: readonly string[] | undefined;
  /** Makes the last message the summary of a compaction. */
  readonly mark?: NewContextMark | undefined;
}

/** A rollback of the session's own rows, with what is to stand in their place. */
export interface CancelRequest<M, Tx = unknown> extends SessionChange<Tx> {
  /** The length to go back to: with nothing open, and not below `baseLen`. */
  readonly to: number;
  readonly reason: string;
  /** Appended after the rollback, such as a notice of effects that did happen. */
  readonly messages?: readonly M[] | undefined;
  readonly ids?: readonly string[] | undefined;
  readonly turnId?: string | undefined;
}

/** What a fenced write answers. */
export interface WriteResult {
  readonly rev: number;
  readonly len: number;
  readonly settledLen: number;
  /** The prefix digest at `len`. */
  readonly digest: string;
  /** Position of the first message of this write; `len` when it had none. */
  readonly from: number;
  readonly ids: readonly string[];
  readonly replayed: boolean;
}
