import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frozenCopy, NotJsonError } from "../src/frozen-json.ts";

describe("frozenCopy", () => {
  it("copies every JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value).includes("__proto__"));
        expect(JSON.stringify(frozenCopy(value))).toBe(JSON.stringify(value));
      }),
    );
  });

  it("does as JSON.stringify with undefined members, holes and toJSON", () => {
    const value = {
      gone: undefined,
      list: [undefined, 1],
      at: new Date(0),
      holes: Array.from({ length: 2 }),
    };
    expect(frozenCopy(value)).toEqual(JSON.parse(JSON.stringify(value)));
  });

  it("shares nothing with what it copied", () => {
    const value = { inner: { n: 1 } };
    const copy = frozenCopy(value) as typeof value;
    value.inner.n = 2;
    expect(copy.inner.n).toBe(1);
    expect(Object.isFrozen(copy.inner) && !Object.isFrozen(value)).toBe(true);
  });

  it.each([
    ["a function", { run: () => 1 }],
    ["a bigint", [1n]],
    ["a number that is not finite", Number.NaN],
    ["an instance of a class", new Map()],
    ["undefined itself", undefined],
  ])("refuses %s", (_what, value) => {
    expect(() => frozenCopy(value)).toThrow(NotJsonError);
  });

  it("refuses a cycle and a __proto__ key instead of running away or polluting", () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(() => frozenCopy(cycle)).toThrow("nested deeper");
    expect(() => frozenCopy(JSON.parse('{"__proto__":{"admin":true}}'))).toThrow("__proto__");
    expect(frozenCopy(JSON.parse('{"proto":1,"constructor":2}'))).toEqual({ proto: 1, constructor: 2 });
  });

  it("stops at its limit of characters", () => {
    expect(() => frozenCopy(["x".repeat(50), "x".repeat(50)], 100)).toThrow("larger than the limit");
    expect(() => frozenCopy("x".repeat(101), 100)).toThrow("larger than the limit");
    expect(frozenCopy("x".repeat(100), 100)).toHaveLength(100);
  });
});
