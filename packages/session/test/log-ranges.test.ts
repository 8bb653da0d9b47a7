import fc from "fast-check";
import { expect, test } from "vitest";
import { commonRanges, subtractRanges, type LogRange } from "../src/log-ranges.ts";

const range = fc
  .record({ writer: fc.constantFrom("a", "b"), lo: fc.nat(20), rows: fc.nat(8) })
  .map(({ writer, lo, rows }): LogRange => ({ writer, lo, hi: lo + rows }));
const ranges = fc.array(range, { maxLength: 8 });

function rowsOf(list: readonly LogRange[]): Set<string> {
  return new Set(
    list.flatMap(({ writer, lo, hi }) => Array.from({ length: hi - lo }, (_, at) => `${writer} ${lo + at}`)),
  );
}

// F113
test("subtracting leaves exactly the rows that the other list hasn't", () => {
  fc.assert(
    fc.property(ranges, ranges, (left, right) => {
      const taken = rowsOf(right);
      expect(rowsOf(subtractRanges(left, right))).toEqual(
        new Set([...rowsOf(left)].filter((row) => !taken.has(row))),
      );
    }),
  );
});

test("what both hold is what neither subtraction leaves", () => {
  fc.assert(
    fc.property(ranges, ranges, (left, right) => {
      const other = rowsOf(right);
      expect(rowsOf(commonRanges(left, right))).toEqual(
        new Set([...rowsOf(left)].filter((row) => other.has(row))),
      );
    }),
  );
});

test("no two ranges of an answer touch, and none is empty", () => {
  fc.assert(
    fc.property(ranges, (list) => {
      const joined = subtractRanges(list, []);
      for (const { writer, lo, hi } of joined) {
        expect(lo).toBeLessThan(hi);
        expect(joined.filter((other) => other.writer === writer && other.lo === hi)).toEqual([]);
      }
    }),
  );
});
