import type { JsonValue } from "@basis/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanValue, formsOf, REDACTED } from "../../src/redaction/texts.ts";

/** Begins with what neither JSON's syntax nor the values around it have, and goes on with what JSON escapes. */
const unit = fc.constantFrom("a", '"', "\\", "\n", "$&", "\u0001", "é", "漢", "😀", "{", "}", "/");
const secret = fc.string({ unit, minLength: 3, maxLength: 12 }).map((rest) => `Z${rest}`);

/** A value in which the secret stands somewhere: as a text, a key, in JSON, and in JSON inside JSON. */
function planted(text: string, value: JsonValue, depth: number): JsonValue {
  let inside = `before ${text} after`;
  for (let at = 0; at < depth; at += 1) inside = JSON.stringify({ inside });
  return { value, list: [inside, { [`key ${text}`]: 1 }], other: [1, null, true] };
}

test("S32: nothing is left of a text, however deep it stands in JSON, and the value stays JSON", () => {
  fc.assert(
    fc.property(secret, fc.jsonValue(), fc.nat(2), (text, value, depth) => {
      const cleaned = cleanValue(planted(text, value as JsonValue, depth), formsOf([text]));
      expect(JSON.stringify(JSON.parse(JSON.stringify(cleaned)))).toBe(JSON.stringify(cleaned));
      const [inside, keyed] = (cleaned as { list: [string, object] }).list;
      expect(textAt(inside, depth)).toBe(`before ${REDACTED} after`);
      expect(Object.keys(keyed)).toEqual([`key ${REDACTED}`]);
    }),
  );
});

/** The text at the bottom of JSON inside JSON. */
function textAt(text: string, depth: number): string {
  return depth === 0 ? text : textAt((JSON.parse(text) as { inside: string }).inside, depth - 1);
}

test("a value without the text is the same object, and what is near it stays", () => {
  const value = { a: ["hunter", { b: "hunter3" }], n: 12.5 };
  expect(cleanValue(value, formsOf(["hunter2"]))).toBe(value);
  const mixed = { keep: { it: 1 }, go: "is hunter2!", n: 41234 };
  const cleaned = cleanValue<JsonValue>(mixed, formsOf(["hunter2", "1234"]));
  expect(cleaned).toEqual({ keep: { it: 1 }, go: `is ${REDACTED}!`, n: REDACTED });
  expect((cleaned as typeof mixed).keep).toBe(mixed.keep);
});

test("of texts inside one another the longest goes first, and a dollar sign is no pattern", () => {
  expect(cleanValue("x hunter2-hunter2 y", formsOf(["hunter2", "hunter2-hunter2"]))).toBe(`x ${REDACTED} y`);
  expect(cleanValue("a $& $1 b", formsOf(["$& $1"]))).toBe(`a ${REDACTED} b`);
});
