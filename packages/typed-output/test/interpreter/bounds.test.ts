import type { JsonSchema, JsonValue } from "@basis/core";
import { describe, expect, it } from "vitest";
import { defineOutput } from "../../src/index.ts";
import { interpret } from "../../src/interpreter/interpreting-validator.ts";

const judge = (schema: JsonSchema) => interpret(schema, { draft: "2020-12", schemas: {} });
const gaveUp = [{ pointer: "", keyword: "schema", message: "the schema cannot judge this value" }];

/** Expressions of five shapes, each of which holds expressions. */
const shape = (kind: string): JsonSchema => ({
  type: "object",
  properties: {
    kind: { const: kind },
    left: { $ref: "#/$defs/expression" },
    right: { $ref: "#/$defs/expression" },
  },
  required: ["kind"],
  additionalProperties: false,
});
const expressions: JsonSchema = {
  type: "object",
  properties: { sum: { $ref: "#/$defs/expression" } },
  required: ["sum"],
  $defs: { expression: { anyOf: ["add", "sub", "mul", "div", "neg"].map(shape) } },
};
const nested = (depth: number): JsonValue =>
  depth === 0 ? { kind: "neg" } : { kind: "div", left: nested(depth - 1) };

// S39
describe("the interpreter's bounds", () => {
  it("judge a union that contains itself once at each place, through the package's entry too", async () => {
    const compiled = await defineOutput({ name: "x", description: "", schema: expressions }).compile();
    for (const { check } of [judge(expressions), compiled]) {
      expect(check({ sum: nested(50) })).toEqual([]);
      expect(check({ sum: { kind: "add", left: nested(40), right: { kind: "pow" } } })).toMatchObject([
        { pointer: "/sum/right/kind", keyword: "tag" },
      ]);
    }
  });

  it("are not there for references to a draft's own meta-schema, which ajv has", async () => {
    const meta = "http://json-schema.org/draft-07/schema#";
    const schema = { $schema: meta, type: "object", properties: { schema: { $ref: meta } } };
    const { check } = await defineOutput({ name: "x", description: "", schema }).compile();
    expect(check({ schema: { type: "object" } })).toEqual([]);
    expect(check({ schema: { type: "text" } })).not.toEqual([]);
  });

  it("refuse what has no end", () => {
    expect(judge({ allOf: [{ $ref: "#" }] }).check({})).toEqual(gaveUp);
    expect(judge({ allOf: [{ $ref: "#/$defs/a" }], $defs: { a: { type: "object" } } }).check({})).toEqual([]);
  });

  it("refuse what multiplies where nothing can be remembered", () => {
    const definitions = Array.from({ length: 30 }, (_, level) => {
      const next = { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, { anyOf: [next, next], unevaluatedProperties: false }] as const;
    });
    const schema = {
      $ref: "#/$defs/d0",
      $defs: { ...Object.fromEntries(definitions), d30: { type: "string" } },
    };
    expect(judge(schema).check({})).toEqual(gaveUp);
  });

  it("leave room for a large answer", () => {
    const schema = {
      type: "array",
      items: { anyOf: [{ type: "string" }, { type: "null" }, { type: "integer" }] },
    };
    expect(judge(schema).check(Array.from({ length: 150_000 }, (_, n) => n))).toEqual([]);
  });

  it("refuse an answer whose patterns take too long together, at any rate soon", () => {
    const schema = { items: { pattern: "^(a|aa)+(b|ab)*c{2,9}$" } };
    expect(judge(schema).check(Array.from({ length: 2_000 }, () => "a".repeat(20_000)))).toEqual(gaveUp);
    expect(judge(schema).check(["aacc"])).toEqual([]);
  });
});
