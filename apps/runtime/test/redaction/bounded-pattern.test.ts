import { expect, test } from "vitest";
import { BoundedPattern, PatternError } from "../../src/redaction/bounded-pattern.ts";

test("finds what a regular expression finds, in every text and in order", () => {
  const pattern = new BoundedPattern("k-(\\d)\\1|\\p{Lu}{2}");
  expect(pattern.matches(["k-11 k-12", "", "ÄÖ k-22"])).toEqual(["k-11", "ÄÖ", "k-22"]);
  expect(pattern.matches([])).toEqual([]);
  expect(pattern.matches(["k-33"])).toEqual(["k-33"]);
});

test("refuses what is no regular expression", () => {
  expect(() => new BoundedPattern("(")).toThrow(/Invalid regular expression/);
});

// The bound of a real clock: a pattern that ends in time is the control.
test("gives a pattern up that would not end, on one text and on many", () => {
  const endless = ["a".repeat(40)];
  expect(new BoundedPattern("(a+)+$", { lookMs: 5000, allMs: 5000 }).matches(endless)).toEqual(endless);
  const slow = new BoundedPattern("(a+)+$", { lookMs: 50, allMs: 5000 });
  expect(() => slow.matches(["a".repeat(40) + "b"])).toThrow(PatternError);
  expect(slow.matches(endless)).toEqual(endless);
  const spent = new BoundedPattern("(a+)+$", { lookMs: 50, allMs: 50 });
  expect(() => spent.matches(["a".repeat(40) + "b"])).toThrow(PatternError);
  expect(() => spent.matches(endless)).toThrow(PatternError);
});
