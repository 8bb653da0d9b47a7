import { locateRow, positionOf, sliceSpans } from "@mobkit/session/rules";
import fc from "fast-check";
import { expect, test } from "vitest";
import { placeOf, positionIn, sliceOf, spansOf } from "../src/spans.ts";

/** Spans as they are read: starts that grow from 0, writers by number, and a length beyond the last start. */
const read = fc
  .array(fc.record({ size: fc.integer({ min: 1, max: 9 }), writer: fc.integer({ min: 1, max: 4 }) }), {
    maxLength: 6,
  })
  .map((sizes) => {
    let start = 0;
    const next = new Map<number, number>();
    const rows = sizes.map(({ size, writer }) => {
      const lo = next.get(writer) ?? 0;
      next.set(writer, lo + size + 1);
      const row = [start, writer, lo, `w${writer}`] as const;
      start += size;
      return row;
    });
    return { rows, len: start };
  });

test("spans as they are read say what the rules say of them", () => {
  fc.assert(
    fc.property(read, fc.nat(60), fc.nat(60), ({ rows, len }, one, two) => {
      const spans = spansOf(rows, len);
      const [from, to] = [Math.min(one, two), Math.max(one, two)];
      const bare = spans.map(({ writerKey: _key, ...span }) => span);
      expect(sliceOf(spans, from, to).map(({ writerKey: _key, ...span }) => span)).toEqual(
        sliceSpans(bare, from, to),
      );
      const place = placeOf(spans, one);
      const located = locateRow(bare, one);
      expect(place && [`w${place.writerKey}`, place.seq]).toEqual(located && [located.writer, located.seq]);
      expect(place && positionIn(spans, place)).toBe(located && positionOf(bare, located));
    }),
  );
});
