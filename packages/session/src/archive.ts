import type { CancelMark } from "./context-mark.ts";
import type { ForkOperation } from "./fork-operation.ts";
import type { MemberRecord } from "./member.ts";
import type { OutboxEvent } from "./outbox.ts";
import type { CallOptions } from "./page.ts";
import type { SessionRecord } from "./session-record.ts";
import type { SideState } from "./side-state.ts";
import type { Span } from "./span.ts";
import type { TransferRow } from "./transfer.ts";

/** A value beside a transcript, and an older session that sees the very same one. */
export interface ArchivedState {
  readonly state: SideState;
  readonly sharedWith: string | null;
}

/** A row that a rebase made of another session's. */
export interface ArchivedCopy {
  readonly seq: number;
  readonly writer: string;
  readonly writerSeq: number;
}

/** What of a session, in any state, no other face of its store tells. */
export interface SessionArchive {
  readonly spans: readonly Span[];
  readonly cancelMarks: readonly CancelMark[];
  readonly sideState: readonly ArchivedState[];
  readonly copies: readonly ArchivedCopy[];
}

/** All of a session but its rows. */
export interface ArchivedSession<M> extends SessionArchive {
  readonly session: SessionRecord;
  readonly member: MemberRecord | null;
  /** The fork that made it. */
  readonly operation: ForkOperation<M> | null;
  /** Its events that wait for a consumer. */
  readonly waiting: readonly OutboxEvent[];
}

/** How far a session has been put into a store. */
export type ArchiveProgress =
  | { readonly kind: "absent" }
  | { readonly kind: "staged"; readonly nextSeq: number }
  | { readonly kind: "settled" };

/**
 * Takes a whole store into an empty one, session by session, oldest first: ids, lineage, members, forks, deleted sessions,
 * rows that only forks reach. Leases are not taken along. Nothing is verified here, and nobody else may use either store.
 */
export interface StoreArchive<M> {
  /** @throws SessionError `unknown_session`. */
  read(sessionId: string, options?: CallOptions): Promise<SessionArchive>;
  progress(sessionId: string, options?: CallOptions): Promise<ArchiveProgress>;
  /**
   * Adds rows of a session's own log behind those that are there, at most 1,000, whose blobs are there. Until it is settled the
   * session is `pending`.
   */
  stage(session: SessionRecord, rows: readonly TransferRow[], options?: CallOptions): Promise<void>;
  /** Makes the session what it was, in one transaction. What its spans, shared values and fork name is there. */
  settle(archived: ArchivedSession<M>, options?: CallOptions): Promise<void>;
  /** How many redactions the store it comes from had seen. */
  setGeneration(generation: number, options?: CallOptions): Promise<void>;
}
