import type { Span } from "@mobkit/session";
import { statement, type SqlStatement } from "./sql.ts";

/** A span with the number by which its writer is stored. */
export interface StoredSpan extends Span {
  readonly writerKey: number;
}

/** Where a row is stored. */
export interface StoredPlace {
  readonly writerKey: number;
  readonly seq: number;
}

/** Spans as they were read with their session, cut at its length. */
export function spansOf(read: unknown, len: number): readonly StoredSpan[] {
  const rows = (read ?? []) as readonly (readonly [number, number, number, string])[];
  return rows.map(([start, writerKey, lo, writer], index) => {
    const end = rows[index + 1]?.[0] ?? len;
    return { start, writer, writerKey, lo, hi: lo + end - start };
  });
}

/** Where the row at a position is stored; undefined outside the spans. */
export function placeOf(spans: readonly StoredSpan[], position: number): StoredPlace | undefined {
  const span = spans.find(({ start, lo, hi }) => start <= position && position < start + hi - lo);
  return span && { writerKey: span.writerKey, seq: span.lo + position - span.start };
}

/** The position at which spans hold a row; undefined when they don't reach it. */
export function positionIn(spans: readonly StoredSpan[], place: StoredPlace): number | undefined {
  const { writerKey, seq } = place;
  const span = spans.find((each) => each.writerKey === writerKey && each.lo <= seq && seq < each.hi);
  return span && span.start + seq - span.lo;
}

/** The spans of the positions from `from` to `to - 1`. */
export function sliceOf(spans: readonly StoredSpan[], from: number, to: number): StoredSpan[] {
  return spans.flatMap((span) => {
    const start = Math.max(span.start, from);
    const end = Math.min(span.start + span.hi - span.lo, to);
    const lo = span.lo + start - span.start;
    return start < end ? [{ ...span, start, lo, hi: lo + end - start }] : [];
  });
}

/** Forgets the spans from a length on. */
export function clipStoredSpans(key: number, len: number): SqlStatement {
  return statement("DELETE FROM span WHERE session = $1 AND start >= $2", key, len);
}

/** Gives a session the spans of another one's prefix. Copies no row. */
export function insertSpans(key: number, spans: readonly StoredSpan[]): SqlStatement {
  return statement(
    `INSERT INTO span (session, start, writer, lo)
     SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[])`,
    key,
    spans.map(({ start }) => start),
    spans.map(({ writerKey }) => writerKey),
    spans.map(({ lo }) => lo),
  );
}
