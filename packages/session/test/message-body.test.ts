import { canonicalJson, type JsonValue } from "@basis/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blobDigest, decodeBody, encodeBody, utf8Bytes } from "../src/message-body.ts";
import { chainDigest, emptyDigest, leafDigest, newSalt } from "../src/row-digest.ts";

describe("a message's body", () => {
  test("comes back as it went in, and frozen", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const body = encodeBody(value);
        if (!("text" in body)) return;
        const back = decodeBody(body.text);
        expect(canonicalJson(back)).toBe(canonicalJson(value as JsonValue));
        expect(Object.isFrozen(back)).toBe(true);
        expect(body.text).toBe(canonicalJson(value as JsonValue));
      }),
    );
  });

  test("is measured in UTF-8 whatever it holds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(utf8Bytes(text)).toBe(new TextEncoder().encode(text).length);
      }),
    );
  });

  test("leaves out what is undefined, as JSON does", () => {
    expect(encodeBody({ b: 1, a: undefined })).toMatchObject({ text: '{"b":1}' });
  });

  test.each([
    [{ content: [{ data: new Uint8Array(2) }] }, "/content/0/data is no plain JSON (Uint8Array)"],
    [{ at: new Date(0) }, "/at is no plain JSON (Date)"],
    [{ url: new URL("https://example.org") }, "/url is no plain JSON (URL)"],
    [new Map(), "it is no plain JSON (Map)"],
    [{ text: "\ud800" }, "a string with a lone surrogate has no canonical form"],
    [{ big: 1n }, "a bigint has no JSON form"],
    [{ n: Number.NaN }, "NaN has no JSON form"],
  ])("that wouldn't come back the same is refused", (value, problem) => {
    expect(encodeBody(value)).toEqual({ problem });
  });

  test("nested without end is refused before the stack runs out", () => {
    const nested = (depth: number): unknown => {
      let value: unknown = 1;
      for (let level = 0; level < depth; level += 1) value = [value];
      return value;
    };
    expect(encodeBody(nested(256))).toMatchObject({ text: `${"[".repeat(256)}1${"]".repeat(256)}` });
    expect(encodeBody(nested(100_000))).toEqual({ problem: "it is nested deeper than 256" });
  });
});

describe("digests", () => {
  const row = { id: "m1", kind: "user", turnId: null, bodyText: '"a"' };

  // S32
  test("of equal rows differ by their salt", () => {
    const [first, second] = [newSalt(), newSalt()];
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(leafDigest({ ...row, salt: first })).not.toBe(leafDigest({ ...row, salt: second }));
    expect(leafDigest({ ...row, salt: first })).toBe(leafDigest({ ...row, salt: first }));
  });

  test("cover id, kind, turn and body", () => {
    const leaf = leafDigest({ ...row, salt: "s" });
    for (const change of [{ id: "m2" }, { kind: "tool" }, { turnId: "t" }, { bodyText: '"b"' }]) {
      expect(leafDigest({ ...row, salt: "s", ...change })).not.toBe(leaf);
    }
  });

  test("of a prefix depend on everything before", () => {
    expect(chainDigest(chainDigest(emptyDigest, "a"), "b")).not.toBe(
      chainDigest(chainDigest(emptyDigest, "b"), "a"),
    );
    expect(emptyDigest).toBe(blobDigest(""));
  });
});
