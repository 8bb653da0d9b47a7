import type { JsonObject, JsonSchema, JsonValue } from "@basis/core";
import { describe, expect, it } from "vitest";
import { interpret } from "../../src/interpreter/interpreting-validator.ts";
import { dialects, lowerSchema, type DialectName } from "../../src/lowering/index.ts";
import { spellOutNullable } from "../../src/lowering/normal-form.ts";

const names = Object.keys(dialects) as DialectName[];
const judge = (schema: JsonSchema) => interpret(schema, { draft: "2020-12", schemas: {} });
const fits = (schema: JsonSchema, value: JsonValue): boolean => judge(schema).check(value).length === 0;
const answer = (a: JsonSchema, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { a },
  required: ["a"],
  additionalProperties: false,
  ...more,
});

// case 17: what the shown schema lets through and the author's refuses is in the ledger
describe.each(names)("%s: the ledger names what the model is not told", (dialect) => {
  it.each<[string, JsonObject, JsonValue]>([
    ["a bound beside a choice", answer({ enum: [1, 2, 5], minimum: 2 }), 1],
    ["a length beside a choice", answer({ enum: ["x", "yyy"], minLength: 2 }), "x"],
    ["a choice beside another", answer({ allOf: [{ enum: [1, 2] }, { enum: [2, 3] }, { const: 2 }] }), 1],
    ["a constant that cannot be", answer({ type: "string", const: 5 }), "x"],
    ["parts of a choice", answer({ enum: [{ b: 1 }, { c: 1 }], required: ["b"] }), { c: 1 }],
    [
      "items over the places of another",
      answer({
        allOf: [
          { type: "array", prefixItems: [{ type: "number" }], items: { type: "number" } },
          { type: "array", items: { minimum: 3 } },
        ],
      }),
      [1],
    ],
    [
      "what stands beside a reference to anything",
      answer({ $ref: "#/$defs/d", type: "string" }, { $defs: { d: true } }),
      1,
    ],
    ["a reference to nothing", answer({ $ref: "#/$defs/d" }, { $defs: { d: false } }), 1],
    [
      "null that only one side allows",
      answer({ allOf: [{ type: "string" }, { type: "string", nullable: true }] }),
      null,
    ],
  ])("%s", (_, schema, value) => {
    const lowered = lowerSchema(schema, dialect);
    expect(fits(schema, { a: value })).toBe(false);
    const written = lowered.lower({ a: value });
    const isShown = written !== undefined && fits(spellOutNullable(lowered.schema), written);
    const isTold = lowered.ledger.some(
      ({ action, keyword }) => action === "dropped" || keyword === "minimum",
    );
    expect(isShown && !isTold).toBe(false);
  });

  it("is empty where nothing is lost (the control)", () => {
    const { ledger, lower } = lowerSchema(answer({ type: "string", enum: ["x", "yyy"] }), dialect);
    expect(ledger.filter(({ keyword }) => keyword === "enum" || keyword === "type")).toEqual([]);
    expect(lower({ a: "x" })).toEqual({ a: "x" });
  });
});

it.each(names)("%s: a root is an object, also where the author lists whole answers", (dialect) => {
  const root: JsonObject = {
    type: "object",
    properties: { a: { type: "integer" } },
    enum: [{ a: 1 }, { a: 2 }],
  };
  const { schema, ledger } = lowerSchema(root, dialect);
  expect(schema).toMatchObject({ type: "object", properties: { a: {} } });
  expect(ledger).toContainEqual(expect.objectContaining({ pointer: "/enum", action: "dropped" }));
});

it("shows only the choices that are allowed", () => {
  const { schema, ledger } = lowerSchema(answer({ enum: [1, 2, 5], minimum: 2 }), "openai");
  expect(schema["properties"]).toEqual({ a: { type: "integer", enum: [2, 5] } });
  expect(ledger).toMatchObject([{ pointer: "/properties/a/minimum", action: "moved" }]);
});

describe("a tuple written as an object", () => {
  const schema = answer({
    type: "array",
    prefixItems: [{ type: "integer" }],
    items: { type: "object", properties: { n: { type: "integer" } } },
  });

  it("never takes a later item for one that is missing", () => {
    const { lift } = lowerSchema(schema, "anthropic");
    expect(lift({ a: { other_items: [{ n: 1 }] } }).issues).toEqual([
      { pointer: "/a", keyword: "pairs", message: 'missing property "item_1"' },
    ]);
    expect(lift({ a: { other_items: [] } })).toEqual({ value: { a: [] }, issues: [] });
    expect(lift({ a: { item_1: 1, other_items: [{ n: 2 }] } }).value).toEqual({ a: [1, { n: 2 }] });
  });

  it("shows where in a later item something is wrong", () => {
    const { locate } = lowerSchema(schema, "anthropic");
    expect(locate("/a/1/n", { a: { item_1: 1, other_items: [{ n: "x" }] } })).toBe("/a/other_items/0/n");
  });
});

it("shows where in a member without a name of its own something is wrong", () => {
  const schema = { type: "object", additionalProperties: { enum: [{ b: 1 }, "z"] } } as const;
  expect(lowerSchema(schema, "gemini").locate("/q/b", { q: '{"b":2}' })).toBe("/q");
});

it("gives no form to a value whose schema refers to itself without end", () => {
  const schema = answer(
    { $ref: "#/$defs/d", description: "x" },
    { $defs: { d: { anyOf: [{ $ref: "#/$defs/d" }] } } },
  );
  const lowered = lowerSchema(schema, "openai");
  expect(lowered.lower({ a: [1] })).toBeUndefined();
  expect(lowered.locate("/a/0", { a: [1] })).toBe("/a/0");
});
