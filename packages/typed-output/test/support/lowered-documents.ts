import type { JsonObject } from "@basis/core";
import { walkSchema } from "../../src/schema-walk.ts";
import { seeded } from "./mutations.ts";
import { SchemaMaker } from "./schema-cases.ts";

/** The keywords of every schema inside a lowered one. */
export function keywordsOf(schema: JsonObject): Set<string> {
  return new Set([...walkSchema(schema)].flatMap(({ schema: node }) => Object.keys(node)));
}

/** Documents of every kind. */
export const generated = Array.from(
  { length: 60 },
  (_, seed) => new SchemaMaker(seeded(seed * 31 + 5)).document().schema,
);
/** One of each thing that the dialects say differently. */
export const person: JsonObject = {
  type: "object",
  properties: {
    name: { type: "string", description: "As on the card.", minLength: 2, maxLength: 40 },
    age: { type: "integer", exclusiveMinimum: 0, maximum: 150 },
    nick: { type: ["string", "null"] },
    home: { oneOf: [{ const: "flat" }, { const: "house" }] },
    labels: { type: "object", additionalProperties: { type: "string" } },
  },
  required: ["name"],
};
