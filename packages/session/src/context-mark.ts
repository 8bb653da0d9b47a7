/**
 * A compaction: from here on a request may be built from the summary row and the rows from `keepFrom` on. The mark
 * belongs to its summary row and is seen wherever that row is, so a fork before it sees the transcript without it.
 */
export interface ContextMark {
  /** Position of the summary row. */
  readonly position: number;
  /** Everything before this position is in the summary; never beyond the summary's own row. */
  readonly summarises: number;
  /** First row to send as it is; a position with nothing open before it, not above `summarises`. */
  readonly keepFrom: number;
  readonly createdAt: number;
}

/** The mark of the last message of an append. */
export type NewContextMark = Pick<ContextMark, "summarises" | "keepFrom">;

/** A rollback: the rows from `to` to `from` left the transcript. Forks made before keep them. */
export interface CancelMark {
  /** The length before and after. */
  readonly from: number;
  readonly to: number;
  /** The prefix digest before. */
  readonly digest: string;
  readonly reason: string;
  readonly rev: number;
  readonly createdAt: number;
}
