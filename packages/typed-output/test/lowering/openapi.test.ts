import type { JsonObject } from "@basis/core";
import { describe, expect, it } from "vitest";
import { lowerSchema } from "../../src/lowering/index.ts";
import { walkSchema } from "../../src/schema-walk.ts";
import { generated, keywordsOf, person } from "../support/lowered-documents.ts";

describe("openapi", () => {
  // case 16
  it("has no references, single types, and nullable", () => {
    for (const document of generated) {
      const lowered = lowerSchema(document, "openapi").schema;
      const found = keywordsOf(lowered);
      const forbidden = [
        "$ref",
        "$defs",
        "const",
        "prefixItems",
        "additionalProperties",
        "oneOf",
        "exclusiveMinimum",
      ];
      expect(forbidden.filter((keyword) => found.has(keyword))).toEqual([]);
      for (const { schema: node } of walkSchema(lowered)) {
        expect(Array.isArray(node["type"])).toBe(false);
        const choices = (node["enum"] ?? []) as readonly unknown[];
        expect(choices.every((value) => typeof value === "string")).toBe(true);
      }
    }
    const { schema } = lowerSchema(person, "openapi");
    expect(schema["properties"]).toMatchObject({ nick: { type: "string", nullable: true } });
  });

  it("writes what contains itself as JSON text", () => {
    const node: JsonObject = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
    const document = { type: "object", properties: { list: { $ref: "#/$defs/node" } }, $defs: { node } };
    const { lower, lift } = lowerSchema(document, "openapi");
    const value = { list: { next: { next: {} } } };
    expect(lower(value)).toEqual({ list: { next: '{"next":{}}' } });
    expect(lift(lower(value)!)).toEqual({ value, issues: [] });
    expect(lift({ list: { next: "{" } }).issues).toMatchObject([{ pointer: "/list/next", keyword: "json" }]);
  });
});
