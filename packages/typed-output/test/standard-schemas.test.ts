import type { JsonValue, StandardSchema } from "@basis/core";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { Type } from "typebox";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { defineOutput, type OutputSpec } from "../src/index.ts";
import { ask } from "./support/asking.ts";

const about = "As on the card.";
const shapes = {
  zod: z.object({ name: z.string().describe(about), tags: z.array(z.string()).optional() }),
  arktype: type({ name: type("string").describe(about), "tags?": "string[]" }),
  valibot: toStandardJsonSchema(
    v.object({ name: v.pipe(v.string(), v.description(about)), tags: v.optional(v.array(v.string())) }),
  ),
} as const;
const typebox = Type.Object({
  name: Type.String({ description: about }),
  tags: Type.Optional(Type.Array(Type.String())),
});
const expected = {
  type: "object",
  properties: {
    name: { type: "string", description: about },
    tags: { type: "array", items: { type: "string" } },
  },
  required: ["name"],
};
const define = (schema: StandardSchema<unknown, unknown>) =>
  defineOutput({ name: "card", description: "", schema });
const specs: readonly (readonly [string, OutputSpec<unknown>])[] = [
  ...Object.entries(shapes).map(([name, schema]) => [name, define(schema as StandardSchema)] as const),
  [
    "typebox",
    defineOutput<unknown>({ name: "card", description: "", schema: structuredClone(typebox) as never }),
  ],
];

describe.each(specs)("%s", (_library, spec) => {
  it("case 2: shows the model the same JSON Schema as the others", () => {
    const { $schema: _draft, ...schema } = spec.inputSchema as Record<string, JsonValue>;
    expect(schema).toEqual(expected);
  });

  it("accepts what fits, decoded, and answers what does not with feedback", async () => {
    const value = { name: "Ada", tags: ["x"] };
    const { attempt } = await ask([{ terminal: '{"name":1}' }, { terminal: JSON.stringify(value) }], {
      spec,
    });
    expect(attempt).toMatchObject({ status: "accepted", value, attempts: [{ verdict: "mismatch" }, {}] });
  });
});

describe("a library's own type", () => {
  it("case 3: is refused by its vendor's name where it does not say itself as JSON Schema", () => {
    const schema = v.object({ name: v.string() });
    expect(() => defineOutput({ name: "x", description: "", schema })).toThrow(/valibot/);
    expect(defineOutput({ name: "x", description: "", schema, jsonSchema: expected }).schema).toEqual(
      expected,
    );
  });

  it("case 4: is refused at definition where its converter gives up", () => {
    const define = () =>
      defineOutput({ name: "x", description: "", schema: toStandardJsonSchema(v.object({ at: v.date() })) });
    expect(define).toThrow(/valibot has no JSON Schema for this type/);
    expect(() =>
      defineOutput({
        name: "x",
        description: "",
        schema: toStandardJsonSchema(v.object({ at: v.string() })),
      }),
    ).not.toThrow();
  });

  it("case 70: gives the value its type", () => {
    expectTypeOf(defineOutput({ name: "x", description: "", schema: shapes.zod })).toEqualTypeOf<
      OutputSpec<{ name: string; tags?: string[] | undefined }>
    >();
    expectTypeOf(defineOutput({ name: "x", description: "", schema: shapes.arktype })).toEqualTypeOf<
      OutputSpec<{ name: string; tags?: string[] }>
    >();
    expectTypeOf(defineOutput({ name: "x", description: "", schema: shapes.valibot })).toEqualTypeOf<
      OutputSpec<{ name: string; tags?: string[] | undefined }>
    >();
  });

  it("refuses by the decoder what its JSON Schema cannot say", async () => {
    const spec = define(z.object({ name: z.string().refine((name) => name === "Ada") }) as StandardSchema);
    const { attempt } = await ask([{ terminal: '{"name":"Bob"}' }], { spec });
    expect(attempt).toMatchObject({ status: "mismatch", at: "decode" });
  });
});
