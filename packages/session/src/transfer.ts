import type { CancelMark, ContextMark } from "./context-mark.ts";
import type { Lease } from "./lease.ts";
import type { Labels, MemberRecord } from "./member.ts";
import type { CallOptions } from "./page.ts";
import type { SessionRecord } from "./session-record.ts";
import type { SideState } from "./side-state.ts";
import type { Span } from "./span.ts";
import type { StoredRow } from "./transcript-row.ts";

/** Everything of a session but its rows, at one moment. */
export interface SessionOutline {
  readonly session: SessionRecord;
  readonly member: MemberRecord | null;
  readonly spans: readonly Span[];
  readonly cancelMarks: readonly CancelMark[];
  /** By kind. */
  readonly sideState: readonly SideState[];
}

/** A row as stored, with what belongs to it. */
export interface TransferRow {
  readonly row: StoredRow;
  /** Blobs that it refers to beside the one with its body. */
  readonly blobs: readonly string[];
  /** The compaction whose summary it is. */
  readonly mark: ContextMark | null;
}

/** What an import ends with. */
export interface ImportedSession {
  readonly member: string;
  readonly role: string;
  readonly labels?: Labels | undefined;
  /** What the staged rows come to; `len` and `headDigest` have to be what was staged. */
  readonly session: Pick<
    SessionRecord,
    "len" | "settledLen" | "openCalls" | "headDigest" | "rev" | "requestHead" | "usage"
  >;
  readonly cancelMarks: readonly CancelMark[];
  readonly sideState: readonly SideState[];
}

/**
 * Takes whole sessions out of a store and into it, as rows with salts and digests. Nothing is verified here: that is
 * the work of `@mobkit/session/bundle`, through which hosts use this.
 */
export interface SessionTransfer {
  /** @throws SessionError `unknown_session`, `session_unavailable` (it is pending or a tombstone). */
  outline(sessionId: string, options?: CallOptions): Promise<SessionOutline>;
  /** The rows of spans, in order, page by page; those that were collected meanwhile are missing. */
  rows(
    spans: readonly Span[],
    request?: CallOptions & { readonly pageSize?: number | undefined },
  ): AsyncIterable<TransferRow>;
  /**
   * Begins an import: a new session, `pending` and leased for an hour, that no name leads to. One whose lease ran out
   * before its end is made a tombstone by the next begin.
   */
  begin(options?: CallOptions): Promise<Lease>;
  /**
   * Adds rows of that session's own log, numbered and placed from its end on, and renews the lease. At most 1,000.
   * @throws SessionError `stale_fence`, `blob_missing`, `invalid_request`.
   */
  stage(lease: Lease, rows: readonly TransferRow[], options?: CallOptions): Promise<void>;
  /**
   * Seats the member and makes the session `ready`, in one transaction; until then nothing of it counts.
   * @throws SessionError `stale_fence`, `member_already_exists`, `blob_missing` (request head), `invalid_request`.
   */
  finish(
    lease: Lease,
    contents: ImportedSession,
    options?: CallOptions,
  ): Promise<{ readonly session: SessionRecord; readonly member: MemberRecord }>;
  /** Gives an import up; its rows are collected. False when it wasn't held any more. */
  drop(lease: Lease, options?: CallOptions): Promise<boolean>;
}
