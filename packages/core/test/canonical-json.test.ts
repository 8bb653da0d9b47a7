import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, digestJson, orderedJson, sha256, type JsonValue } from "../src/index.ts";
import { portableSha256 } from "../src/sha256.ts";

// D1
describe("canonicalJson", () => {
  it("does not depend on key order and reads back as the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const shuffled = JSON.parse(JSON.stringify(value), (_, part: unknown) =>
          typeof part === "object" && part !== null && !Array.isArray(part)
            ? Object.fromEntries(Object.entries(part).toReversed())
            : part,
        ) as unknown;
        fc.pre(!/\p{Surrogate}/u.test(JSON.stringify(value)) && !/\\ud[89a-f]/i.test(JSON.stringify(value)));
        expect(canonicalJson(shuffled)).toBe(canonicalJson(value));
        expect(canonicalJson(JSON.parse(canonicalJson(value)))).toBe(canonicalJson(value));
      }),
    );
  });

  it("sorts keys by their UTF-16 code units and writes texts as JSON.stringify does, few or many, short or long", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 80 });
    fc.assert(
      fc.property(fc.dictionary(text, text, { maxKeys: 40 }), (value) => {
        const members = Object.keys(value)
          .toSorted()
          .map((key) => `${JSON.stringify(key)}:${JSON.stringify(value[key])}`);
        expect(canonicalJson(value)).toBe(`{${members.join(",")}}`);
      }),
    );
    for (let unit = 0; unit < 0x100; unit += 1) {
      const char = String.fromCharCode(unit);
      expect(canonicalJson(char)).toBe(JSON.stringify(char));
    }
    for (const half of ["\ud7ff\ud800", "\udfff\ue000"]) expect(() => canonicalJson(half)).toThrow(TypeError);
  });

  it("follows the sorting and number examples of RFC 8785", () => {
    expect(
      canonicalJson({
        "\u20ac": 1,
        "\r": 2,
        "\ufb33": 3,
        "1": 4,
        "\ud83d\ude00": 5,
        "\u0080": 6,
        "\u00f6": 7,
      }),
    ).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
    expect(canonicalJson([333333333.3333333, 1e30, 4.5, 0.002, 1e-27, -0])).toBe(
      "[333333333.3333333,1e+30,4.5,0.002,1e-27,0]",
    );
  });

  it("writes a hole in an array as null", () => {
    expect(canonicalJson(Object.assign([], { 1: 1 }))).toBe("[null,1]");
  });

  it("leaves out undefined and refuses what JSON cannot hold", () => {
    expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
    for (const value of [Number.NaN, 1n, () => 1, "\ud800"])
      expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  it("gives one digest per value", () => {
    const value: JsonValue = { b: 1, a: [true, null] };
    expect(digestJson(value)).toBe(digestJson({ a: [true, null], b: 1 }));
    expect(digestJson(value)).not.toBe(digestJson({ a: [true, null], b: 2 }));
  });
});

describe("sha256", () => {
  it("agrees with the platform in both implementations", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const expected = createHash("sha256").update(bytes).digest("hex");
        expect(sha256(bytes)).toBe(expected);
        expect(portableSha256(bytes)).toBe(expected);
      }),
    );
  });
});

describe("orderedJson", () => {
  const odd = [
    { b: 1, a: 2 },
    { a: undefined },
    [undefined],
    Number.NaN,
    new Date(0),
    { toJSON: () => 1 },
    "\ud800",
  ];

  it("is the canonical form of a value, or nothing", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!/\\ud[89a-f]/i.test(JSON.stringify(value)));
        expect([undefined, canonicalJson(value)]).toContain(orderedJson(value));
      }),
    );
  });

  it("is the canonical form of whatever is in order", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "é", "Z"), minLength: 1 });
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(letters, fc.integer(), fc.array(tie("tree")), fc.dictionary(letters, tie("tree"))),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const text = canonicalJson(value);
        expect(orderedJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it("is nothing for whatever the engine would write otherwise", () => {
    for (const value of odd) expect(orderedJson(value)).toBeUndefined();
    for (const value of odd) expect(orderedJson({ a: [value] })).toBeUndefined();
    expect(orderedJson({ a: [{ b: "\\ud800 spelled out" }] })).toBeUndefined();
    expect(orderedJson({ a: [{ b: -0 }, null, true] })).toBe('{"a":[{"b":0},null,true]}');
  });
});
