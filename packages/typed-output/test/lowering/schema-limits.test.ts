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
