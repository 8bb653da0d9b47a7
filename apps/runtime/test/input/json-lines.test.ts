import { childPointer, type JsonValue } from "@basis/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineAt, valueLines } from "../../src/input/json-lines.ts";

describe("the lines of a JSON text's values", () => {
  test("are told by pointer, through escapes, brackets in texts and odd spacing", () => {
    const text = '{\n  "a/b": [1,\n 2, {"x":\n "]}\\"" }],\n\n"~": true , "e": [],"o":{}}';
    expect(Object.fromEntries(valueLines(text))).toEqual({
      "": 1,
      "/a~1b": 2,
      "/a~1b/0": 2,
      "/a~1b/1": 3,
      "/a~1b/2": 3,
      "/a~1b/2/x": 4,
      "/~0": 6,
      "/e": 6,
      "/o": 6,
    });
  });

  test("are found for every value of any document, and never go back", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (source, indent) => {
        const value = JSON.parse(source) as JsonValue;
        const text = JSON.stringify(value, null, indent);
        const lines = valueLines(text);
        expect([...lines.keys()].toSorted()).toEqual([...new Set(pointersOf(value, ""))].toSorted());
        expect([...lines.values()]).toEqual([...lines.values()].toSorted((a, b) => a - b));
        expect(Math.max(...lines.values())).toBeLessThanOrEqual(text.split("\n").length);
      }),
    );
  });

  test("are told for offsets too", () => {
    expect([0, 1, 2, 3].map((offset) => lineAt("a\nb\n", offset))).toEqual([1, 1, 2, 2]);
  });
});

function pointersOf(value: JsonValue, pointer: string): string[] {
  if (typeof value !== "object" || value === null) return [pointer];
  const below = Object.entries(value).flatMap(([key, member]) =>
    pointersOf(member, childPointer(pointer, key)),
  );
  return [pointer, ...below];
}
