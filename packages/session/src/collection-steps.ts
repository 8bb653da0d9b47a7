import type { LogRange } from "./log-ranges.ts";
import type { CollectedAmount } from "./upkeep.ts";

/** One session as a collection sees it. */
export interface SurveyedSession {
  /** Its own log from the first row that it may have had to the last one, whether or not they are still there. */
  readonly log: LogRange;
  /** The rows that it reaches; none for a tombstone. */
  readonly reaches: readonly LogRange[];
}

/** Rows that were found unreachable at `since`. */
export interface MarkedRange extends LogRange {
  readonly since: number;
}

/** A blob that nothing inside the store refers to; `since` is when that was first found, null when never. */
export interface LooseBlob {
  readonly digest: string;
  readonly bytes: number;
  readonly since: number | null;
}

/** Rows of a range: how many there are in this step, and where the next step goes on. */
export interface RangeStep {
  readonly rows: number;
  readonly bytes: number;
  /** Blobs that these rows refer to, once per reference. */
  readonly refs: readonly string[];
  /** Null when the range has no more rows. */
  readonly next: number | null;
}

/** One page of a walk; `next` is null on the last one. */
export interface WalkPage<T> {
  readonly items: readonly T[];
  readonly next: number | null;
}

/** What a collection asks of a store. Every call is one short transaction. */
export interface CollectionSteps {
  /**
   * Grows with each redaction and with each finished rebase: a rebase alone can bring rows into reach that nobody
   * reached before, its own copies.
   */
  epoch(): Promise<number>;
  /** Sessions in the order in which they were created: a fork comes after its source. */
  survey(after: number, limit: number): Promise<WalkPage<SurveyedSession>>;
  /** Lets go of what only a tombstone's own calls could reach: spans, write ids, side state. */
  release(limit: number): Promise<{ readonly done: boolean }>;
  /** Forgets consumed events with their keys, those consumed at `before` or earlier; never an event that waits. */
  forgetEvents(before: number, limit: number): Promise<{ readonly done: boolean }>;
  markedRanges(): Promise<readonly MarkedRange[]>;
  markRanges(ranges: readonly LogRange[], since: number): Promise<void>;
  unmarkRange(range: LogRange): Promise<void>;
  measureRows(range: LogRange, limit: number): Promise<RangeStep>;
  /** Removes the first rows of the range, with their references to blobs; undefined, and nothing, when the epoch is another. */
  removeRows(
    range: LogRange,
    step: { readonly limit: number; readonly epoch: number },
  ): Promise<RangeStep | undefined>;
  /** Of the next blobs, those that nothing refers to. */
  looseBlobs(after: number, limit: number): Promise<WalkPage<LooseBlob>>;
  markBlobs(digests: readonly string[], since: number): Promise<void>;
  /** Removes those that are still loose and whose mark is from `before` or earlier. */
  removeBlobs(digests: readonly string[], before: number): Promise<Omit<CollectedAmount, "rows">>;
  /** How many references each blob has. */
  countRefs(
    digests: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly refs: number; readonly bytes: number }>>;
}
