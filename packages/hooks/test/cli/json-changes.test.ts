import type { JsonValue } from "@basis/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonChanges, type JsonChange } from "../../src/cli/json-changes.ts";

const json = fc
  .jsonValue({ noUnicodeString: false })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);

/** What the changes say of a pointer, or the value itself. */
function apply(
  value: JsonValue | undefined,
  changes: readonly JsonChange[],
  pointer = "",
): JsonValue | undefined {
  const change = changes.find((one) => one.pointer === pointer);
  if (change !== undefined) return change.after;
  if (typeof value !== "object" || value === null) return value;
  const below = changes
    .map((one) => one.pointer)
    .filter((at) => at.startsWith(`${pointer}/`))
    .map((at) =>
      at
        .slice(pointer.length + 1)
        .split("/")[0]!
        .replaceAll("~1", "/")
        .replaceAll("~0", "~"),
    );
  const keys = [...new Set([...Object.keys(value), ...below])];
  const members = keys.flatMap((key) => {
    const token = key.replaceAll("~", "~0").replaceAll("/", "~1");
    const member = apply((value as Record<string, JsonValue>)[key], changes, `${pointer}/${token}`);
    return member === undefined ? [] : [[key, member] as const];
  });
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}

describe("jsonChanges", () => {
  it("names no place where nothing differs, and every place where something does", () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(jsonChanges(before, structuredClone(before))).toEqual([]);
        expect(apply(before, jsonChanges(before, after))).toEqual(after);
      }),
    );
  });

  it("says what was added, removed and changed, by pointer", () => {
    const before = { "a/b": 1, list: [1, 2], gone: null };
    const after = { "a/b": 2, list: [1], new: { x: [] } };
    expect(jsonChanges(before, after)).toEqual([
      { pointer: "/a~1b", before: 1, after: 2 },
      { pointer: "/list/1", before: 2 },
      { pointer: "/gone", before: null },
      { pointer: "/new", after: { x: [] } },
    ]);
    expect(jsonChanges([], {})).toEqual([{ pointer: "", before: [], after: {} }]);
  });
});
