import type { StoreArchive } from "./archive.ts";
import type { BlobStore } from "./blob.ts";
import type { CancelMark, ContextMark } from "./context-mark.ts";
import type { ForkLedger } from "./fork-operation.ts";
import type { Lease, LeaseRequest } from "./lease.ts";
import type { Labels, MemberRegistry } from "./member.ts";
import type { Outbox } from "./outbox.ts";
import type { CallOptions, Page, PageRequest } from "./page.ts";
import type { SessionForks } from "./session-forks.ts";
import type { SessionRecord, SessionState, SpawnedBy } from "./session-record.ts";
import type { AppendRequest, CancelRequest, Join, SessionChange, WriteResult } from "./session-write.ts";
import type { SideState } from "./side-state.ts";
import type { PrefixRecord, TranscriptRow } from "./transcript-row.ts";
import type { SessionTransfer } from "./transfer.ts";
import type { TranscriptShape } from "./transcript-shape.ts";
import type { StoreUpkeep } from "./upkeep.ts";

/** What a store can do. A layer above that finds one missing degrades by its own rule and says so. */
export interface StoreCapabilities {
  /** A fork copies no message. */
  readonly zeroCopyFork: boolean;
  /** A fork's commit reserves the child's name in the same transaction. */
  readonly atomicReserveAndFork: boolean;
  /** Writes are refused by lease epoch. */
  readonly fencing: boolean;
  /** The digest of any prefix is one read. */
  readonly prefixDigest: boolean;
  /** What was acknowledged is there after the process has gone. */
  readonly durable: boolean;
  /** A write can free its lease in its own transaction (`release`). Absent: it can't. */
  readonly releasingWrites?: boolean | undefined;
  /**
   * No reply gets lost: whatever a call does not answer, it throws, and then it has changed nothing. A write needs no
   * `writeId` to be safe to repeat. Absent: a reply may be lost.
   */
  readonly sureReplies?: boolean | undefined;
}

/** A session to create. */
export interface CreateSessionRequest {
  readonly member: string;
  readonly role: string;
  readonly labels?: Labels | undefined;
  /** Default: a new UUID of version 7. Given again with the same member, role and labels it answers the same session. */
  readonly id?: string | undefined;
  readonly spawnedBy?: SpawnedBy | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Which rows to read; positions, `to` exclusive. */
export interface ReadRequest {
  /** Default 0. */
  readonly from?: number | undefined;
  /** Default and most: the length when the read begins. */
  readonly to?: number | undefined;
  /** Rows fetched at a time, each page in its own short transaction. 1 to 1,000, default 256. */
  readonly pageSize?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Work that somebody without the lease announces or withdraws: a queued input, an answered approval. */
export interface WorkRequest<Tx = unknown> {
  readonly queuedInputs?: number | undefined;
  readonly pendingApprovals?: number | undefined;
  readonly writeId?: string | undefined;
  readonly join?: Join<Tx> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How much work waits. */
export interface WorkCounts {
  readonly queuedInputs: number;
  readonly pendingApprovals: number;
}

/**
 * Durable transcripts of messages `M`, the members seated on them, and the forks between them.
 * `Tx` is what the store hands to a write's `join`.
 *
 * Every call checks its signal before it writes, and rejects with the signal's reason; a call that has begun to commit
 * ends as it ends. Every other refusal is a `SessionError`. Records are frozen.
 */
export interface SessionStore<M, Tx = unknown> {
  readonly shape: TranscriptShape<M>;
  readonly capabilities: StoreCapabilities;
  readonly members: MemberRegistry;
  readonly operations: ForkLedger<M>;
  readonly forks: SessionForks<M>;
  readonly blobs: BlobStore;
  readonly outbox: Outbox;
  /** Whole sessions out of the store and into it; undefined in a store that can't. */
  readonly transfer?: SessionTransfer | undefined;
  /** The whole store out of it and into another; undefined in a store that can't. */
  readonly archive?: StoreArchive<M> | undefined;
  /** Collection, redaction and rebasing; undefined in a store that has none of them. */
  readonly upkeep?: StoreUpkeep<M, Tx> | undefined;

  /**
   * Creates an empty session, `ready`, with the member seated on it.
   * @throws SessionError `member_already_exists`, `session_exists` (the id, with other contents), `invalid_request`.
   */
  createSession(request: CreateSessionRequest): Promise<SessionRecord>;
  /** The session without its messages, in any state. @throws SessionError `unknown_session`. */
  head(sessionId: string, options?: CallOptions): Promise<SessionRecord>;
  /** Sessions by id, oldest first, tombstones left out unless asked for. Reads no message. */
  listSessions(
    request?: PageRequest & { readonly state?: SessionState | undefined },
  ): Promise<Page<SessionRecord>>;
  /**
   * Moves a session between `ready`, `archived` and `quarantined`, or for ever to `tombstone` (which retires its member).
   * Leaving `ready` makes the current lease stale. The same state again is no change. A `pending` one is the fork's.
   * @throws SessionError `unknown_session`, `session_unavailable` (it is pending or a tombstone).
   */
  setState(
    sessionId: string,
    request: CallOptions & { readonly state: Exclude<SessionState, "pending"> },
  ): Promise<SessionRecord>;

  /** Takes the lease when it is free or expired, and bumps its epoch. @throws SessionError `unknown_session`, `session_unavailable`, `lease_held`. */
  acquireLease(sessionId: string, request: LeaseRequest): Promise<Lease>;
  /** Moves the expiry, also of an expired lease that nobody took. @throws SessionError `stale_fence`. */
  renewLease(lease: Lease, options?: CallOptions & { readonly ttlMs?: number | undefined }): Promise<Lease>;
  /** Frees the lease; later writes with it are `stale_fence`. False when it wasn't held any more. */
  releaseLease(lease: Lease, options?: CallOptions): Promise<boolean>;

  /**
   * Appends messages. Calls that they open stay open until a later message closes them; while any is open, only messages
   * that close one may follow.
   *
   * @throws SessionError `unknown_session`, `write_id_conflict`, `session_unavailable`, `stale_fence`, `revision_conflict`,
   * `invalid_request`, `invalid_message`, `duplicate_message` (an id that the transcript holds), `duplicate_call`, `unmatched_result`, `open_calls`, `invalid_boundary` (mark),
   * `blob_missing`, `event_consumed`; checked in about this order, and none of them leaves a trace.
   */
  append(sessionId: string, request: AppendRequest<M, Tx>): Promise<WriteResult>;
  /** A fenced write without messages. Refuses as `append`. */
  update(sessionId: string, request: SessionChange<Tx>): Promise<WriteResult>;
  /** Rolls back to `to`. Rows are kept for the forks that reach them; numbers aren't reused. Refuses as `append`, and `invalid_boundary`. */
  cancel(sessionId: string, request: CancelRequest<M, Tx>): Promise<WriteResult>;
  /** Changes the counts of waiting work without lease and revision. @throws SessionError `unknown_session`, `session_unavailable`, `write_id_conflict`, `invalid_request` (below zero). */
  adjustWork(sessionId: string, request: WorkRequest<Tx>): Promise<WorkCounts>;

  /** Rows in order. What is appended or cancelled meanwhile doesn't show. @throws SessionError `unknown_session`, `session_unavailable` (tombstone; also half-way, when rows that were deleted, cancelled or moved meanwhile have been collected), `blob_missing`. */
  read(sessionId: string, request?: ReadRequest): AsyncIterable<TranscriptRow<M>>;
  /** The prefix of that length, without its messages. @throws SessionError `unknown_session`, `session_unavailable` (tombstone), `invalid_boundary` (`out_of_range`). */
  prefix(sessionId: string, length: number, options?: CallOptions): Promise<PrefixRecord>;
  /** The latest compaction that the transcript holds. */
  contextMark(sessionId: string, options?: CallOptions): Promise<ContextMark | undefined>;
  /** The session's own rollbacks, oldest first. */
  cancelMarks(sessionId: string, options?: CallOptions): Promise<readonly CancelMark[]>;
  sideState(sessionId: string, kind: string, options?: CallOptions): Promise<SideState | undefined>;

  /** Lets go of what the store holds; later calls are `store_unavailable`. Closing twice is allowed. */
  close(): Promise<void>;
}
