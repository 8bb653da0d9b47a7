import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolRoster } from "../src/index.ts";

const name = fc.constantFrom("a", "b", "c", "d", "constructor", "__proto__");
const names = fc.array(name, { maxLength: 6 });
const roster = fc
  .tuple(fc.boolean(), names)
  .map(([only, list]) => (only ? ToolRoster.only(list) : ToolRoster.hide(list)));
const everyName = ["a", "b", "c", "d", "constructor", "__proto__", "toString"];

describe("a roster", () => {
  it("allows the names of its allow-list, or all but its deny-list", () => {
    fc.assert(
      fc.property(names, name, (list, asked) => {
        expect(ToolRoster.only(list).allows(asked)).toBe(list.includes(asked));
        expect(ToolRoster.hide(list).allows(asked)).toBe(!list.includes(asked));
      }),
    );
    expect(ToolRoster.only([]).allows("toString")).toBe(false);
    expect(ToolRoster.hide([]).allows("anything")).toBe(true);
  });

  it("intersects to what both allow, in any order and grouping", () => {
    fc.assert(
      fc.property(roster, roster, roster, (one, two, three) => {
        for (const asked of everyName) {
          const both = one.allows(asked) && two.allows(asked);
          expect(one.intersect(two).allows(asked)).toBe(both);
          expect(two.intersect(one).allows(asked)).toBe(both);
          expect(one.intersect(two).intersect(three).allows(asked)).toBe(both && three.allows(asked));
          expect(one.intersect(one).allows(asked)).toBe(one.allows(asked));
        }
      }),
    );
  });

  // C14
  it("hides what is both offered and hidden", () => {
    const both = ToolRoster.only(["a", "b"]).intersect(ToolRoster.hide(["b"]));
    expect([both.allows("a"), both.allows("b")]).toEqual([true, false]);
    expect(both.offered).toEqual(["a"]);
  });

  // C10
  it("shows its names sorted and each once, whatever was given", () => {
    fc.assert(
      fc.property(names, (list) => {
        const expected = [...new Set(list)].toSorted();
        expect(ToolRoster.only(list.toReversed()).form()).toEqual({ offered: expected });
        expect(ToolRoster.hide(list).form()).toEqual({ hidden: expected });
      }),
    );
  });

  it("cannot be changed", () => {
    const fixed = ToolRoster.only(["a"]);
    expect(() => (fixed.offered as string[]).push("b")).toThrow(TypeError);
    expect(() => Object.assign(fixed, { offered: undefined })).toThrow(TypeError);
    expect(fixed.allows("b")).toBe(false);
  });

  it.each([
    ["a text", "read"],
    ["a number in the list", [7]],
    ["an empty name", [""]],
    ["nothing", undefined],
  ])("is not made from %s", (_, list) => {
    const error = expect.objectContaining({ code: "invalid_spec" });
    expect(() => ToolRoster.only(list as never)).toThrow(error);
    expect(() => ToolRoster.hide(list as never)).toThrow(error);
    expect(ToolRoster.only(["read"]).allows("read")).toBe(true);
  });

  it("is known by its brand, not by its shape", () => {
    expect(ToolRoster.is(ToolRoster.hide([]))).toBe(true);
    expect(ToolRoster.is({ offered: [], hidden: [], allows: () => true })).toBe(false);
  });
});
