import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  clipSpans,
  extendSpans,
  locateRow,
  positionOf,
  sliceSpans,
  spanProblem,
  spansLength,
  type Span,
} from "../src/span.ts";

/** Runs of rows by a few writers, as appends and forks would leave them. */
const runs = fc.array(
  fc.record({ writer: fc.constantFrom("a", "b", "c"), rows: fc.integer({ min: 1, max: 5 }) }),
  {
    maxLength: 8,
  },
);

/** Spans whose rows are numbered on through each writer's log, with gaps where something was cancelled. */
const spanLists = fc
  .tuple(runs, fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 8, maxLength: 8 }))
  .map(([list, gaps]) => {
    const next: Record<string, number> = { a: 0, b: 0, c: 0 };
    let spans: Span[] = [];
    for (const [index, { writer, rows }] of list.entries()) {
      const lo = next[writer]! + gaps[index]!;
      next[writer] = lo + rows;
      spans = extendSpans(spans, { writer, lo, hi: lo + rows });
    }
    return spans;
  });

const cut = fc.nat({ max: 45 });

/** The rows, one by one. */
function rowsOf(spans: readonly Span[]): string[] {
  return spans.flatMap(({ writer, lo, hi }) =>
    Array.from({ length: hi - lo }, (_, index) => `${writer}${lo + index}`),
  );
}

describe("spans", () => {
  test("built by extending they are sorted, disjoint and cover [0, len)", () => {
    fc.assert(
      fc.property(spanLists, (spans) => {
        expect(spanProblem(spans, spansLength(spans))).toBeUndefined();
        expect(rowsOf(spans)).toHaveLength(spansLength(spans));
      }),
    );
  });

  test("clipped to k hold the first k rows and no other", () => {
    fc.assert(
      fc.property(spanLists, cut, (spans, k) => {
        const clipped = clipSpans(spans, k);
        expect(rowsOf(clipped)).toEqual(rowsOf(spans).slice(0, k));
        expect(spanProblem(clipped, Math.min(k, spansLength(spans)))).toBeUndefined();
      }),
    );
  });

  test("clipped twice are clipped once: fork(fork(s, j), k) = fork(s, k) for k up to j", () => {
    fc.assert(
      fc.property(spanLists, cut, cut, (spans, left, right) => {
        const [k, j] = [Math.min(left, right), Math.max(left, right)];
        expect(clipSpans(clipSpans(spans, j), k)).toEqual(clipSpans(spans, k));
      }),
    );
  });

  test("sliced keep the positions of their rows", () => {
    fc.assert(
      fc.property(spanLists, cut, cut, (spans, from, to) => {
        const slice = sliceSpans(spans, from, to);
        expect(rowsOf(slice)).toEqual(rowsOf(spans).slice(from, Math.max(from, to)));
        expect(slice[0]?.start ?? from).toBe(from);
      }),
    );
  });

  test("locate every row that they cover, and find it back", () => {
    fc.assert(
      fc.property(spanLists, (spans) => {
        for (const [position, row] of rowsOf(spans).entries()) {
          const place = locateRow(spans, position);
          expect(`${place?.writer}${place?.seq}`).toBe(row);
          expect(positionOf(spans, place!)).toBe(position);
        }
        expect(locateRow(spans, spansLength(spans))).toBeUndefined();
        expect(locateRow(spans, -1)).toBeUndefined();
        expect(positionOf(spans, { writer: "d", seq: 0 })).toBeUndefined();
      }),
    );
  });

  test("extended by the rows that follow their last one grow by no span", () => {
    const spans = extendSpans([], { writer: "a", lo: 0, hi: 2 });
    expect(extendSpans(spans, { writer: "a", lo: 2, hi: 3 })).toEqual([
      { start: 0, writer: "a", lo: 0, hi: 3 },
    ]);
    expect(extendSpans(spans, { writer: "a", lo: 4, hi: 5 })).toHaveLength(2);
    expect(extendSpans(spans, { writer: "b", lo: 2, hi: 3 })).toHaveLength(2);
    expect(extendSpans(spans, { writer: "a", lo: 2, hi: 2 })).toEqual(spans);
  });

  test("that leave a gap, hold nothing, or end elsewhere are told apart", () => {
    expect(spanProblem([{ start: 1, writer: "a", lo: 0, hi: 1 }], 2)).toBe("span 0 starts at 1, not at 0");
    expect(spanProblem([{ start: 0, writer: "a", lo: 1, hi: 1 }], 0)).toBe("span 0 is empty");
    expect(spanProblem([{ start: 0, writer: "a", lo: 0, hi: 1 }], 2)).toBe("the spans end at 1, not at 2");
    expect(spanProblem([], 0)).toBeUndefined();
  });
});
