/**
 * A run of rows in one writer's log: rows `lo` to `hi - 1` of `writer` stand at the positions from `start` on.
 * A session is a list of them that covers `[0, len)` in order.
 */
export interface Span {
  readonly start: number;
  readonly writer: string;
  readonly lo: number;
  readonly hi: number;
}

/** One row, by its place in its writer's log. */
export interface RowPlace {
  readonly writer: string;
  readonly seq: number;
}

/** How many rows the spans cover. */
export function spansLength(spans: readonly Span[]): number {
  const last = spans.at(-1);
  return last === undefined ? 0 : endOf(last);
}

/** The spans of the first `len` rows: what a fork begins with, and what a cancel leaves. */
export function clipSpans(spans: readonly Span[], len: number): Span[] {
  return sliceSpans(spans, 0, len);
}

/** The spans of the rows from `from` to `to - 1`, still at their positions. */
export function sliceSpans(spans: readonly Span[], from: number, to: number): Span[] {
  const slice: Span[] = [];
  for (const span of spans) {
    const start = Math.max(span.start, from);
    const end = Math.min(endOf(span), to);
    if (start >= end) continue;
    slice.push({ start, writer: span.writer, lo: seqAt(span, start), hi: seqAt(span, end) });
  }
  return slice;
}

/** The spans with rows `lo` to `hi - 1` of `writer` after their end; they join the last span when they continue it. */
export function extendSpans(spans: readonly Span[], rows: Omit<Span, "start">): Span[] {
  if (rows.hi <= rows.lo) return [...spans];
  const last = spans.at(-1);
  if (last !== undefined && last.writer === rows.writer && last.hi === rows.lo) {
    const longer = spans.slice();
    longer[spans.length - 1] = { start: last.start, writer: last.writer, lo: last.lo, hi: rows.hi };
    return longer;
  }
  return [...spans, { start: spansLength(spans), writer: rows.writer, lo: rows.lo, hi: rows.hi }];
}

/** Where the row at `position` is kept; undefined outside `[0, len)`. */
export function locateRow(spans: readonly Span[], position: number): RowPlace | undefined {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (endOf(spans[middle]!) <= position) low = middle + 1;
    else high = middle;
  }
  const span = spans[low];
  if (span === undefined || position < span.start) return undefined;
  return { writer: span.writer, seq: seqAt(span, position) };
}

/** The position at which the spans hold the row; undefined when they don't reach it. */
export function positionOf(spans: readonly Span[], row: RowPlace): number | undefined {
  const span = spans.find(({ writer, lo, hi }) => writer === row.writer && lo <= row.seq && row.seq < hi);
  return span === undefined ? undefined : span.start + (row.seq - span.lo);
}

/** Why the list is no session's: undefined when its spans are sorted, disjoint, not empty and cover `[0, len)`. */
export function spanProblem(spans: readonly Span[], len: number): string | undefined {
  let next = 0;
  for (const [index, span] of spans.entries()) {
    if (span.hi <= span.lo) return `span ${index} is empty`;
    if (span.start !== next) return `span ${index} starts at ${span.start}, not at ${next}`;
    next = endOf(span);
  }
  return next === len ? undefined : `the spans end at ${next}, not at ${len}`;
}

function endOf(span: Span): number {
  return span.start + (span.hi - span.lo);
}

function seqAt(span: Span, position: number): number {
  return span.lo + (position - span.start);
}
