import type { TokenUsage } from "@basis/core";
import type { MessageKind } from "./transcript-shape.ts";

/**
 * What is known of a row without its body. A row is written once, by one session, and only ever seen behind the same
 * prefix; so its position, digest, open count and usage hold in every session that reaches it.
 */
export interface RowHeader {
  /** The session that wrote it, and its number in that session's log. Unique together. */
  readonly writer: string;
  readonly seq: number;
  /** Index in the transcript. Equal to `seq` unless the writer cancelled something before. */
  readonly position: number;
  /** The message's id; the same in every branch. */
  readonly id: string;
  readonly turnId: string | null;
  readonly kind: MessageKind;
  /** Prefix digest: of this row and all before it. */
  readonly digest: string;
  /** How many calls and approvals are open after this row; 0 makes `position + 1` a legal boundary. */
  readonly openAfter: number;
  /** Everything spent up to and with this row, the inherited part included. */
  readonly usageAfter: TokenUsage;
  /** The writer's revision that this row belongs to. */
  readonly rev: number;
  readonly createdAt: number;
}

/** A row as read. `body` is frozen, and the message as it was appended (after one trip through JSON). */
export interface TranscriptRow<M> extends RowHeader {
  readonly body: M;
  /** Set when the body was replaced by a redaction; the digest is still that of the body that was appended. */
  readonly redacted?: true | undefined;
}

/**
 * A row as a store keeps it. `bodyText` is canonical JSON, null when it lies in the blob `blob` (over 16 KiB of UTF-8).
 * `salt` is null once the body was redacted; the digest stays.
 */
export interface StoredRow extends RowHeader {
  readonly bodyText: string | null;
  readonly blob: string | null;
  readonly salt: string | null;
}

/** A prefix of a session: what a fork at `length` would begin with. */
export interface PrefixRecord {
  readonly length: number;
  readonly digest: string;
  readonly openAfter: number;
  readonly usage: TokenUsage;
  /** The nearest lengths with nothing open: equal to `length` when it is one itself; `after` null when there is none yet. */
  readonly nearestBefore: number;
  readonly nearestAfter: number | null;
}
