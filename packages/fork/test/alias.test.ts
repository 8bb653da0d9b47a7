import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeAlias, encodeAlias, isGeneratedNamespace, parseGeneratedAlias } from "../src/alias.ts";

const COMPONENT = /^[A-Za-z_][A-Za-z0-9_-]*$/;
/** Strings of every kind, lone surrogates included, and those that look like encodings. */
const anyAlias = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("_", "c", "x", ":", "-", "m", "k", "0", "a", "\ud83d", "\ude00") }),
  fc.string({ unit: fc.constantFrom("_", "c", "x", "f", "1", "-") }).map((body) => `mk--${body}`),
);

describe("encodeAlias", () => {
  it("leaves a valid component alone", () => {
    // F21
    for (const name of ["worker", "worker-1", "_private", "A", "mk-", "mk_-x"])
      expect(encodeAlias(name)).toBe(name);
  });

  it("spells every other string with the marker and escapes", () => {
    // F22
    expect(encodeAlias("rt:review:singleton:0")).toBe("mk--rt_creview_csingleton_c0");
    expect(encodeAlias("9lives")).toBe("mk--9lives");
    expect(encodeAlias("a_b:c")).toBe("mk--a__b_cc");
    expect(encodeAlias("müller")).toBe("mk--m_xfc_ller");
    expect(encodeAlias("a b")).toBe("mk--a_x20_b");
    expect(encodeAlias("🙂")).toBe("mk--_x1f642_");
    expect(encodeAlias("")).toBe("mk--");
  });

  it("encodes a name that already bears the marker once more", () => {
    // F23
    expect(encodeAlias("mk--planner")).toBe("mk--mk--planner");
    expect(decodeAlias("mk--mk--planner")).toBe("mk--planner");
  });

  it("always gives a valid component", () => {
    // F24
    fc.assert(
      fc.property(anyAlias, (alias) => {
        expect(encodeAlias(alias)).toMatch(COMPONENT);
      }),
    );
  });

  it("never gives two aliases one roster id", () => {
    // F25
    fc.assert(
      fc.property(anyAlias, anyAlias, (left, right) => {
        expect(encodeAlias(left) === encodeAlias(right)).toBe(left === right);
      }),
    );
  });
});

describe("decodeAlias", () => {
  it("gives back every string that was encoded", () => {
    // F26
    fc.assert(
      fc.property(anyAlias, (alias) => {
        expect(decodeAlias(encodeAlias(alias))).toBe(alias);
      }),
      { numRuns: 1000 },
    );
  });

  it("gives an ill-formed encoding as itself, and a well-formed one decoded", () => {
    // F27
    const illFormed = [
      "mk--_q",
      "mk--_",
      "mk--a_x",
      "mk--_x_",
      "mk--_xFC_",
      "mk--_x110000_",
      "mk--_x0003a_",
      "mk--_x61_",
      "mk--a:b",
      "mk--é",
      "mk--worker",
      "mk--_xd83d__xde00_",
    ];
    for (const id of illFormed) expect(decodeAlias(id)).toBe(id);
    expect(decodeAlias("mk--_xfc_")).toBe("ü");
    fc.assert(
      fc.property(anyAlias, (id) => {
        const alias = decodeAlias(id);
        expect(alias === id || encodeAlias(alias) === id).toBe(true);
      }),
    );
  });
});

describe("parseGeneratedAlias", () => {
  it("takes the last segment as the generation", () => {
    // F28
    expect(parseGeneratedAlias("rt:review:singleton:12")).toEqual({
      identity: "review:singleton",
      generation: 12,
    });
    expect(parseGeneratedAlias("rt:a:0")).toEqual({ identity: "a", generation: 0 });
    for (const other of [
      "rt:",
      "rt:a",
      "rt::0",
      "rt:a:",
      "rt:a:x",
      "rt:a:01",
      "rt:a:-1",
      "planner",
      "xrt:a:0",
    ])
      expect(parseGeneratedAlias(other)).toBeUndefined();
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(), (identity, generation) => {
        expect(parseGeneratedAlias(`rt:${identity}:${generation}`)).toEqual({ identity, generation });
      }),
    );
  });

  it("keeps malformed names of its namespace reserved", () => {
    expect(isGeneratedNamespace("rt:whatever")).toBe(true);
    expect(isGeneratedNamespace("art:whatever")).toBe(false);
  });
});
