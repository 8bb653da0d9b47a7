import type { JsonObject } from "@basis/core";
import { describe, expect, it } from "vitest";
import { dialects, lowerSchema } from "../../src/lowering/index.ts";

// case 18
describe("the limits", () => {
  const wide = (count: number): JsonObject => ({
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`p${index}`, { type: "string" }]),
    ),
  });
  const deep = (levels: number): JsonObject =>
    levels === 0 ? { type: "string" } : { type: "object", properties: { next: deep(levels - 1) } };

  it.each([
    ["openai", "properties", wide(5_001), wide(5_000)],
    ["openai", "depth", deep(11), deep(10)],
    ["openai", "enumValues", choice(1_001), choice(1_000)],
    ["anthropic", "optional", wide(25), wide(24)],
  ] as const)("%s: %s are counted", (dialect, limit, over, within) => {
    const of = (schema: JsonObject) =>
      lowerSchema(schema, dialect).limits.find((entry) => entry.limit === limit);
    expect(of(over)).toMatchObject({ exceeded: true });
    expect(of(within)).toMatchObject({ exceeded: false, count: of(within)!.most });
  });

  it("say what the tables say", () => {
    expect(dialects.openai.limits).toMatchObject({
      properties: 5_000,
      depth: 10,
      enumValues: 1_000,
      characters: 120_000,
    });
    expect(dialects.anthropic.limits).toMatchObject({ optional: 24, strictTools: 20 });
  });
});

function choice(count: number): JsonObject {
  return {
    type: "object",
    properties: { one: { enum: Array.from({ length: count }, (_, index) => `v${index}`) } },
  };
}

describe("a hostile schema", () => {
  const doubling = (levels: number): JsonObject => ({
    type: "object",
    properties: { start: { $ref: "#/$defs/d0" } },
    $defs: Object.fromEntries(
      Array.from({ length: levels }, (_, level) => {
        const next = level === levels - 1 ? { type: "string" } : { $ref: `#/$defs/d${level + 1}` };
        return [
          `d${level}`,
          {
            type: "object",
            properties: { left: next, right: next },
            anyOf: [next, next, { required: ["left"] }],
          },
        ];
      }),
    ),
  });

  it.each(["openai", "anthropic", "gemini", "openapi"] as const)(
    "that multiplies by its references is lowered to %s soon",
    (dialect) => {
      const before = performance.now();
      const { schema, lift } = lowerSchema(doubling(40), dialect);
      expect(schema["type"]).toBe("object");
      expect(lift({ start: { left: {} } }).issues).toEqual([]);
      expect(performance.now() - before).toBeLessThan(15_000);
    },
  );

  it.each([
    ["itself in allOf", { type: "object", allOf: [{ $ref: "#" }], properties: { a: { type: "string" } } }],
    [
      "references that go round",
      {
        type: "object",
        properties: { a: { $ref: "#/$defs/a" } },
        $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
      },
    ],
    [
      "unions inside unions inside themselves",
      {
        type: "object",
        properties: { a: { $ref: "#/$defs/u" } },
        $defs: { u: { type: "object", anyOf: [{ $ref: "#/$defs/u" }, { properties: { b: {} } }] } },
      },
    ],
    [
      "names of the prototype",
      {
        type: "object",
        properties: { constructor: { type: "string" }, toString: { enum: [1] } },
        required: ["hasOwnProperty"],
      },
    ],
  ] as const)("with %s comes to an end", (_what, schema) => {
    for (const dialect of ["openai", "anthropic", "gemini", "openapi"] as const) {
      const lowered = lowerSchema(schema, dialect);
      expect(lowered.lift({ a: "x" }).value).toEqual({ a: "x" });
    }
  });
});

describe("the root", () => {
  it("stays an object, its alternatives left to the check", () => {
    const alternatives = [{ required: ["a"] }, { required: ["b"] }];
    const properties = { a: { type: "string" }, b: { type: "string" } };
    for (const dialect of ["openai", "anthropic", "gemini", "openapi"] as const) {
      const { schema, ledger } = lowerSchema({ type: "object", properties, anyOf: alternatives }, dialect);
      expect(schema).toMatchObject({ type: "object" });
      expect(ledger).toContainEqual(
        expect.objectContaining({ pointer: "/anyOf", action: "dropped", enforced: true }),
      );
    }
  });

  it("takes what stands beside a reference as the draft does", () => {
    const properties = { a: { $ref: "#/$defs/text", maxLength: 3, maxItems: 1 } };
    const schema = { type: "object", properties, $defs: { text: { type: "string" } } };
    const of = (draft: "draft-07" | "2020-12") =>
      lowerSchema(schema, "openapi", { draft }).schema["properties"];
    expect(of("draft-07")).toEqual({ a: { type: "string" } });
    expect(of("2020-12")).toEqual({ a: { type: "string", maxLength: 3 } });
  });
});
