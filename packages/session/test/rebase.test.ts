import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isUnchanged, maxSpans, planRuns, replaceRuns, runRows, sliceRuns } from "../src/rebase.ts";
import { clipSpans, extendSpans, locateRow, spanProblem, spansLength, type Span } from "../src/span.ts";

/** Spans of as many writers as there are lengths. */
function spansOf(lengths: readonly number[]): Span[] {
  return lengths.reduce<Span[]>(
    (spans, rows, index) => extendSpans(spans, { writer: `w${index}`, lo: index, hi: index + rows }),
    [],
  );
}

const deep = fc
  .array(fc.integer({ min: 1, max: 50 }), { minLength: maxSpans + 1, maxLength: 80 })
  .map(spansOf);

describe("a rebase's plan", () => {
  test("has nothing to do up to 32 spans", () => {
    expect(planRuns(spansOf(Array.from({ length: 32 }, () => 3)))).toEqual([]);
    expect(planRuns(spansOf(Array.from({ length: 33 }, () => 3)))).not.toEqual([]);
  });

  test("copies the small spans of a long session, not its long one", () => {
    const spans = spansOf([100_000, ...Array.from({ length: 40 }, () => 10)]);
    expect(runRows(planRuns(spans))).toBeLessThanOrEqual(390);
  });

  test("leaves few spans, which cover the same positions, and the rows outside its runs in place", () => {
    fc.assert(
      fc.property(deep, (spans) => {
        const runs = planRuns(spans);
        const len = spansLength(spans);
        const replaced = replaceRuns(spans, runs, { writer: "copies", lo: 1000 });
        expect(spanProblem(replaced, len)).toBeUndefined();
        expect(replaced.length).toBeLessThanOrEqual(17);
        const copied = new Set<number>();
        for (const { start, end } of runs) for (let at = start; at < end; at += 1) copied.add(at);
        const places = [...copied].toSorted((one, other) => one - other);
        for (let position = 0; position < len; position += 1) {
          const expected = copied.has(position)
            ? { writer: "copies", seq: 1000 + places.indexOf(position) }
            : locateRow(spans, position);
          expect(locateRow(replaced, position)).toEqual(expected);
        }
      }),
      { numRuns: 30 },
    );
  });

  test("is carried out in slices that cover each row once", () => {
    fc.assert(
      fc.property(deep, fc.integer({ min: 1, max: 30 }), (spans, limit) => {
        const runs = planRuns(spans);
        const positions: number[] = [];
        for (let done = 0; done < runRows(runs); done += limit) {
          for (const { start, end } of sliceRuns(runs, { done, limit })) {
            for (let at = start; at < end; at += 1) positions.push(at);
          }
        }
        const all = runs.flatMap(({ start, end }) =>
          Array.from({ length: end - start }, (_, at) => start + at),
        );
        expect(positions).toEqual(all);
      }),
      { numRuns: 50 },
    );
  });

  test("holds as long as nothing but the last span changes", () => {
    fc.assert(
      fc.property(deep, fc.nat(), (spans, back) => {
        const job = { sessionId: "s", generation: 0, spans, runs: planRuns(spans), lo: 0 };
        const last = spans.at(-1)!;
        const len = spansLength(spans);
        const at = len - (back % (len + 1));
        const clipped = extendSpans(clipSpans(spans, at), { writer: "new", lo: 0, hi: len });
        expect(isUnchanged(job, clipped)).toBe(at >= last.start);
        expect(
          isUnchanged(job, extendSpans(spans, { writer: last.writer, lo: last.hi, hi: last.hi + 1 })),
        ).toBe(true);
      }),
    );
  });
});
