import type { CallOptions } from "./page.ts";
import type { Join } from "./session-write.ts";

/** What a store does about its own contents: lets go of what nobody reaches, hides what must not be read, shortens span lists. */
export interface StoreUpkeep<M, Tx = unknown> {
  /**
   * Removes rows that no session reaches (cancelled, or of deleted sessions; never those that a fork still reaches) and
   * blobs that nothing refers to: no row, request head, waiting event, side state, fork request or `holds`. What is
   * found unneeded is marked, and goes when a later collection finds it unneeded again at least `graceMs` afterwards.
   * An import that nobody went on with for an hour is given up before.
   * An event that was consumed seven days ago or longer is forgotten with its key.
   * Works in short transactions; it may be stopped and repeated at any moment, and run beside every other call.
   * @throws SessionError `invalid_request`.
   */
  collect(request?: CollectRequest): Promise<CollectionReport>;
  /**
   * Replaces the bodies of messages for ever, in every branch at once. Ids, positions, digests and boundaries stay; the
   * rows' salts, their blobs, the summaries that cover them and their copies in waiting events go with the bodies.
   * All of it is one transaction. Needs no lease: whoever holds one goes on. Repeating it is harmless,
   * and a message may be redacted again when its replacement left something.
   * @throws SessionError `unknown_session`, `invalid_request` (such as an id that the session does not have),
   * `invalid_message` (a replacement that opens or closes other calls).
   */
  redact(request: RedactRequest<M, Tx>): Promise<RedactionReport>;
  /**
   * Brings sessions of more than 32 spans down to 17 at most, by copying the rows of their smallest neighbouring
   * spans into one log. Transcript, ids and digests stay as they are; `writer` and `seq` of the copied rows don't. Works in short
   * transactions beside every other call. Stores do so by themselves after a fork with that many spans.
   * @throws SessionError `unknown_session`, `invalid_request`.
   */
  rebase(request?: RebaseRequest): Promise<RebaseReport>;
  /** Grows with each redaction. Whoever copies rows in several steps compares it at the end, and begins anew when it has grown. */
  generation(options?: CallOptions): Promise<number>;
}

/** How to collect. */
export interface CollectRequest {
  /** How long something has to have been found unneeded. 0 to 31 days; default one hour. */
  readonly graceMs?: number | undefined;
  /** Marks and removes nothing; the report tells what would go now and later. Default false. */
  readonly dryRun?: boolean | undefined;
  /** Rows or blobs per transaction. 1 to 1,000, default 256. */
  readonly stepSize?: number | undefined;
  /**
   * Answers which of these blobs the host's own tables refer to, such as parked approvals; asked before each marking
   * and each removal. Whoever begins to refer to a blob puts it again before: that renews its grace.
   */
  readonly holds?:
    | ((digests: readonly string[]) => Iterable<string> | PromiseLike<Iterable<string>>)
    | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An amount of stored things. `bytes` are those of bodies and blobs. */
export interface CollectedAmount {
  readonly rows: number;
  readonly blobs: number;
  readonly bytes: number;
}

/** What a collection did. */
export interface CollectionReport {
  readonly dryRun: boolean;
  /** What went; in a dry run, what would go now. */
  readonly gone: CollectedAmount;
  /** What is unneeded and still within its grace. */
  readonly waiting: CollectedAmount;
}

/** What to redact. */
export interface RedactRequest<M, Tx = unknown> {
  readonly sessionId: string;
  /** Messages of the session's transcript, and its own that it cancelled. 1 to 256. */
  readonly messageIds: readonly string[];
  /**
   * The message to put in place: of the same kind, opening and closing the same calls. A message that it leaves as it is
   * isn't redacted. Default: the shape's `redact`, else
   * every text of the message replaced but those that name its parts and calls.
   */
  readonly replace?: ((message: M) => M) | undefined;
  /**
   * Texts to take out of events, side state, fork requests and reasons as well; a request head that has one is removed,
   * and its sessions name none until a write gives them one. From waiting events and first inputs the messages' own
   * texts of 8 characters and more are taken in any case. Each at least 4 characters. A text stays where it is part of
   * a field's name, or of what a value's type, role, kind, status or state is, which one it is (`id`, `…Id`), a model, a
   * member or a list of what may be used (`allow`, `deny`).
   */
  readonly secrets?: readonly string[] | undefined;
  /** Redacts the host's own tables in the same transaction. */
  readonly join?: Join<Tx> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a redaction did. */
export interface RedactionReport {
  readonly generation: number;
  /** Messages that lost something now; one that had lost all of it before doesn't count. */
  readonly messages: number;
  /** Summaries of compactions that covered them. */
  readonly summaries: number;
  /** Blobs that were removed. */
  readonly blobs: number;
  /** Values beside the transcript out of which something was taken. */
  readonly texts: number;
  /** Blobs of redacted messages that stay, since messages that weren't named have them too. */
  readonly sharedBlobs: readonly string[];
  /** False while the replaced bytes may still lie in a log that somebody else reads: repeat the call. */
  readonly purged: boolean;
}

/** What to rebase. */
export interface RebaseRequest {
  /** Default: every session of more than 32 spans. */
  readonly sessionId?: string | undefined;
  /** Rows per transaction. 1 to 1,000, default 256. */
  readonly stepSize?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a rebase did. */
export interface RebaseReport {
  readonly sessions: number;
  readonly copiedRows: number;
}
