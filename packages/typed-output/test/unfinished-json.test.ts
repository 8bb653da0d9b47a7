import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isUnfinishedJson } from "../src/unfinished-json.ts";

// P2, case 78
describe("isUnfinishedJson", () => {
  it("knows every proper beginning of a container and no whole document", () => {
    const values = fc.oneof(fc.object({ maxDepth: 3 }), fc.array(fc.jsonValue()));
    fc.assert(
      fc.property(values, fc.nat(), fc.constantFrom(undefined, 1), (value, cut, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(isUnfinishedJson(text)).toBe(false);
        expect(isUnfinishedJson(text.slice(0, 1 + (cut % (text.length - 1))))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    "{",
    '{"a',
    '{"a\\',
    '{"a\\u00',
    '{"a":-',
    '{"a":1.',
    '{"a":1e',
    '{"a":1e+',
    "[tru",
    "[1,",
    '"',
    "[\n ",
    "-",
  ])("%j is unfinished", (text) => {
    expect(isUnfinishedJson(text)).toBe(true);
  });

  it.each([
    "",
    " ",
    "Here",
    "```",
    "{a",
    '{"a":True',
    "[01",
    "[1.e",
    '["\\x',
    "[1 2",
    "{}}",
    "tree",
    "[,",
    '{"a" 1',
    "1",
    "[--",
  ])("%j is not", (text) => {
    expect(isUnfinishedJson(text)).toBe(false);
  });
});
