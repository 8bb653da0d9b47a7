import type { Span } from "@mobkit/session";
import { integerOf } from "@mobkit/session/rules";
import { textOf } from "./rows.ts";
import type { SpanEnd, StoredSession } from "./known-records.ts";
import type { StoreConnection } from "./store-connection.ts";

/** A span with the number by which its writer is stored. */
export interface StoredSpan extends Span {
  readonly writerKey: number;
}

/** Where a row is stored. */
export interface StoredPlace {
  readonly writerKey: number;
  readonly seq: number;
}

/** The spans of a session, in order. */
export function readSpans(connection: StoreConnection, session: StoredSession): readonly StoredSpan[] {
  const rows = connection
    .statement(
      `SELECT span.start, span.lo, span.writer, session.id FROM span JOIN session ON session.key = span.writer
       WHERE span.session = ? ORDER BY span.start`,
    )
    .all(session.key);
  return rows.map((row, index) => {
    const start = integerOf(row, "start");
    const lo = integerOf(row, "lo");
    const next = rows[index + 1];
    const end = next === undefined ? session.record.len : integerOf(next, "start");
    return {
      start,
      writer: textOf(row, "id"),
      writerKey: integerOf(row, "writer"),
      lo,
      hi: lo + end - start,
    };
  });
}

/** The spans of the rows from `from` to `to - 1`, still at their positions. */
export function sliceSpans(spans: readonly StoredSpan[], from: number, to: number): StoredSpan[] {
  return spans.flatMap((span) => {
    const start = Math.max(span.start, from);
    const end = Math.min(span.start + span.hi - span.lo, to);
    const lo = span.lo + start - span.start;
    return start < end ? [{ ...span, start, lo, hi: lo + end - start }] : [];
  });
}

/** Where the row at a position is stored; undefined outside `[0, len)`. One indexed read, however many rows there are. */
export function placeOf(
  connection: StoreConnection,
  session: StoredSession,
  position: number,
): StoredPlace | undefined {
  if (position < 0 || position >= session.record.len) return undefined;
  const row = connection
    .statement(
      "SELECT start, writer, lo FROM span WHERE session = ? AND start <= ? ORDER BY start DESC LIMIT 1",
    )
    .get(session.key, position)!;
  return {
    writerKey: integerOf(row, "writer"),
    seq: integerOf(row, "lo") + position - integerOf(row, "start"),
  };
}

/** The position at which spans hold a row; undefined when they don't reach it. */
export function positionIn(spans: readonly StoredSpan[], place: StoredPlace): number | undefined {
  const { writerKey, seq } = place;
  const span = spans.find((each) => each.writerKey === writerKey && each.lo <= seq && seq < each.hi);
  return span && span.start + seq - span.lo;
}

/** Forgets the spans from a length on. */
export function clipStoredSpans(connection: StoreConnection, key: number, len: number): void {
  connection.statement("DELETE FROM span WHERE session = ? AND start >= ?").run(key, len);
}

/** Makes room for own rows after `len`; writes nothing when the last span simply goes on. */
export function extendStoredSpans(connection: StoreConnection, end: SpanEnd): void {
  if (connection.known.isEnd(end)) return;
  const last = connection
    .statement("SELECT start, writer, lo FROM span WHERE session = ? ORDER BY start DESC LIMIT 1")
    .get(end.key);
  const goesOn =
    last !== undefined &&
    last["writer"] === end.key &&
    integerOf(last, "lo") + end.len - integerOf(last, "start") === end.nextSeq;
  if (goesOn) return;
  connection
    .statement("INSERT INTO span (session, start, writer, lo) VALUES (?, ?, ?, ?)")
    .run(end.key, end.len, end.key, end.nextSeq);
}

/** Gives a child the spans of the first `len` rows of its source; answers how many. Copies no row. */
export function inheritSpans(
  connection: StoreConnection,
  source: number,
  child: Omit<SpanEnd, "nextSeq">,
): number {
  return connection
    .statement(
      "INSERT INTO span (session, start, writer, lo) SELECT ?, start, writer, lo FROM span WHERE session = ? AND start < ?",
    )
    .run(child.key, source, child.len);
}
