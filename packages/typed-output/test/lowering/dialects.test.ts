import type { JsonObject } from "@basis/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineOutput } from "../../src/index.ts";
import { lowerSchema } from "../../src/lowering/index.ts";
import { walkSchema } from "../../src/schema-walk.ts";
import { generated, keywordsOf, person } from "../support/lowered-documents.ts";

describe("openai", () => {
  const { schema, ledger } = lowerSchema(person, "openai");

  // case 11
  it("asks for every property of closed objects, null for what may be left out", () => {
    expect(schema["required"]).toEqual(["name", "age", "nick", "home", "labels"]);
    expect(schema).toMatchObject({
      additionalProperties: false,
      properties: {
        age: { type: ["integer", "null"], exclusiveMinimum: 0, maximum: 150 },
        nick: { type: ["string", "null"] },
        home: { anyOf: [{ const: "flat" }, { const: "house" }, { type: "null" }] },
      },
    });
  });

  it("leaves nothing that the strict mode forbids in any generated schema", () => {
    const forbidden = [
      "oneOf",
      "allOf",
      "not",
      "prefixItems",
      "patternProperties",
      "nullable",
      "minLength",
      "maxLength",
    ];
    for (const document of generated) {
      const lowered = lowerSchema(document, "openai").schema;
      expect(forbidden.filter((keyword) => keywordsOf(lowered).has(keyword))).toEqual([]);
      for (const { schema: node } of walkSchema(lowered)) {
        if (node["type"] !== "object") continue;
        expect(node["additionalProperties"]).toBe(false);
        expect(node["required"]).toEqual(Object.keys(node["properties"] as JsonObject));
      }
    }
  });

  // case 5 of a lowered schema: the author's words stand first
  it("appends what it moves after the author's description", () => {
    const { name } = schema["properties"] as { name: JsonObject };
    expect(name["description"]).toBe("As on the card. (at least 2 characters; at most 40 characters)");
  });

  // case 12
  it("strips nulls on the way back only where they mean that a property was left out", () => {
    const { lift } = lowerSchema(person, "openai");
    const written = { name: "Ada", age: null, nick: null, home: null, labels: null };
    expect(lift(written)).toEqual({ value: { name: "Ada", nick: null }, issues: [] });
    expect(lift({ name: null }).value).toEqual({ name: null });
  });

  // case 13
  it("writes an open map as pairs, and refuses a key that stands there twice", () => {
    const { lower, lift } = lowerSchema(person, "openai");
    const value = { name: "Ada", nick: null, labels: { a: "1", __proto: "2" } };
    const written = lower(value) as JsonObject;
    expect(written["labels"]).toEqual({
      entries: [
        { key: "a", value: "1" },
        { key: "__proto", value: "2" },
      ],
    });
    expect(lift(written)).toEqual({ value, issues: [] });
    const pair = { key: "a", value: "1" };
    expect(lift({ labels: { entries: [pair, pair] } }).issues).toMatchObject([
      { pointer: "/labels/entries/1/key", keyword: "pairs" },
    ]);
  });

  // case 17
  it("lists what it moved and dropped, where, for whom, and that the answer is checked all the same", () => {
    expect(ledger).toContainEqual({
      pointer: "/properties/name/minLength",
      keyword: "minLength",
      action: "moved",
      enforced: true,
      provider: "openai",
      note: "at least 2 characters",
    });
    expect(ledger.map(({ keyword }) => keyword).toSorted()).toEqual([
      "additionalProperties",
      "additionalProperties",
      "maxLength",
      "minLength",
      "oneOf",
      "required",
    ]);
    expect(ledger.every(({ provider }) => provider === "openai")).toBe(true);
  });

  it("leaves a schema that is in the subset as it is", () => {
    const plain = {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    };
    expect(lowerSchema(plain, "openai")).toMatchObject({ schema: plain, ledger: [], unsupported: [] });
  });
});

describe("anthropic", () => {
  // case 14
  it("says limits in the description, keeps lengths of 0 and 1, and turns oneOf into anyOf", () => {
    const { schema } = lowerSchema(
      {
        type: "object",
        properties: {
          size: { type: "number", minimum: 1, maximum: 9, description: "In cm." },
          some: { type: "array", items: { type: "string" }, minItems: 1 },
          many: { type: "array", items: { type: "string" }, minItems: 3, maxItems: 5 },
          one: { oneOf: [{ type: "string" }, { type: "integer" }] },
        },
      },
      "anthropic",
    );
    expect(schema["properties"]).toEqual({
      size: { type: "number", description: "In cm. (at least 1; at most 9)" },
      some: { type: "array", items: { type: "string" }, minItems: 1 },
      many: { type: "array", items: { type: "string" }, description: "(at least 3 items; at most 5 items)" },
      one: { anyOf: [{ type: "string" }, { type: "integer" }] },
    });
  });

  it("does not repeat what converters write beside a format, or for every integer", () => {
    const schema = z.object({
      mail: z.email(),
      n: z.int(),
      tags: z.record(z.string(), z.number()),
      pair: z.tuple([z.int(), z.int()]),
    });
    const { inputSchema } = defineOutput({ name: "x", description: "", schema });
    const lowered = lowerSchema(inputSchema as JsonObject, "anthropic");
    expect(lowered.schema["properties"]).toMatchObject({
      mail: { type: "string", format: "email" },
      n: { type: "integer" },
    });
    expect(JSON.stringify(lowered.schema)).not.toMatch(/9007199254740991|regular expression|at most/);
    expect(lowered.ledger.map(({ keyword }) => keyword)).not.toContain("propertyNames");
  });

  it("leaves no limit in any generated schema", () => {
    const limits = [
      "minimum",
      "maximum",
      "exclusiveMinimum",
      "exclusiveMaximum",
      "multipleOf",
      "minLength",
      "maxLength",
      "uniqueItems",
      "minProperties",
      "maxProperties",
      "minContains",
      "maxContains",
      "not",
      "patternProperties",
    ];
    for (const document of generated) {
      const lowered = lowerSchema(document, "anthropic").schema;
      for (const { schema: node } of walkSchema(lowered))
        expect([undefined, 0, 1]).toContain(node["minItems"]);
      const found = keywordsOf(lowered);
      expect(
        [...limits, "maxItems", "pattern", "oneOf", "allOf", "prefixItems"].filter((keyword) =>
          found.has(keyword),
        ),
      ).toEqual([]);
    }
  });
});

describe("gemini", () => {
  const known =
    "$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum anyOf oneOf properties additionalProperties required propertyOrdering";

  // case 15
  it("keeps the listed keywords alone, and nothing beside a reference", () => {
    for (const document of generated) {
      const lowered = lowerSchema(document, "gemini").schema;
      expect([...keywordsOf(lowered)].filter((keyword) => !known.split(" ").includes(keyword))).toEqual([]);
      for (const { schema: node } of walkSchema(lowered)) {
        expect(node["$ref"] === undefined || Object.keys(node).length === 1).toBe(true);
      }
    }
  });

  it("says bounds of integers that exclude their limit as inclusive ones", () => {
    const count = { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 10 };
    const { schema } = lowerSchema({ type: "object", properties: { count } }, "gemini");
    expect(schema["properties"]).toEqual({ count: { type: "integer", minimum: 1, maximum: 9 } });
  });

  it("reports a schema that contains itself in a required property, and takes it in one that may be left out", () => {
    const tree = (required: string[]): JsonObject => ({
      type: "object",
      properties: { next: { $ref: "#/$defs/node" } },
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required } },
    });
    expect(lowerSchema(tree(["next"]), "gemini").unsupported).toMatchObject([
      { pointer: "/$defs/node/properties/next" },
    ]);
    expect(lowerSchema(tree([]), "gemini").unsupported).toEqual([]);
  });
});
