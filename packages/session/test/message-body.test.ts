import { canonicalJson, type JsonValue } from "@basis/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blobDigest, decodeBody, encodeBody, utf8Bytes } from "../src/message-body.ts";
import { emptyDigest, newSalt, rowDigest } from "../src/row-digest.ts";

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
  const row = { salt: "5", id: "m1", kind: "user", turnId: null, body: '"a"' };

  // S32
  test("of equal rows differ by their salt", () => {
    const [first, second] = [newSalt(), newSalt()];
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    const digestWith = (salt: string) => rowDigest(emptyDigest, { ...row, salt });
    expect(digestWith(first)).not.toBe(digestWith(second));
    expect(digestWith(first)).toBe(digestWith(first));
  });

  test("cover id, kind, turn and body", () => {
    const digest = rowDigest(emptyDigest, row);
    expect(rowDigest(emptyDigest, { ...row })).toBe(digest);
    for (const change of [{ id: "m2" }, { kind: "tool" }, { turnId: "t" }, { body: '"b"' }]) {
      expect(rowDigest(emptyDigest, { ...row, ...change })).not.toBe(digest);
    }
  });

  test("of a prefix depend on everything before", () => {
    const other = { ...row, id: "m2" };
    expect(rowDigest(rowDigest(emptyDigest, row), other)).not.toBe(
      rowDigest(rowDigest(emptyDigest, other), row),
    );
    expect(rowDigest(rowDigest(emptyDigest, row), other)).not.toBe(rowDigest(emptyDigest, other));
    expect(emptyDigest).toBe(blobDigest(""));
  });
});
