import type { JsonSchema } from "@basis/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineOutput, OutputError, type DefinitionProblem } from "../src/index.ts";
import { total, totalSchema } from "./support/asking.ts";

function define(schema: JsonSchema): ReturnType<typeof defineOutput> {
  return defineOutput({ name: "thing", description: "A thing.", schema });
}

function refusalOf(
  schema: unknown,
): { reason: DefinitionProblem; pointer: string; vendor?: string } | undefined {
  try {
    defineOutput({ name: "thing", description: "", schema: schema as JsonSchema });
    return undefined;
  } catch (error) {
    return OutputError.is(error, "definition_error") ? error.details : undefined;
  }
}

describe("defineOutput", () => {
  it.each([
    [undefined, "an output needs a `name`"],
    [{ schema: { type: "object" } }, "an output needs a `name`"],
    [{ name: "thing" }, "an output needs a `schema`"],
  ])("names what %j lacks", (definition, message) => {
    const define = defineOutput as (definition: unknown) => unknown;
    expect(() => define(definition)).toThrow(message);
  });

  // case 2 (zod, a hand-made vendor and raw JSON Schema)
  it("shows the model the same schema from zod, from another Standard JSON Schema, and from raw JSON", () => {
    const shape = {
      type: "object",
      properties: { a: { type: "string", description: "An a." } },
      required: ["a"],
    };
    const vendor = {
      "~standard": {
        version: 1 as const,
        vendor: "hand-made",
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: () => shape, output: () => shape },
      },
    };
    const fromZod = defineOutput({
      name: "x",
      description: "",
      schema: z.object({ a: z.string().describe("An a.") }),
    });
    const { $schema: _, ...schema } = fromZod.inputSchema as Record<string, unknown>;
    expect(schema).toEqual(shape);
    expect(defineOutput({ name: "x", description: "", schema: vendor }).inputSchema).toEqual(shape);
    expect(define(shape).inputSchema).toEqual(shape);
  });

  // case 3
  it("refuses a Standard Schema without a JSON Schema by its vendor, and takes one handed in beside it", () => {
    const schema = {
      "~standard": { version: 1 as const, vendor: "acme", validate: (value: unknown) => ({ value }) },
    };
    expect(refusalOf(schema)).toEqual({ pointer: "", reason: "no_json_schema", vendor: "acme" });
    const spec = defineOutput({ name: "x", description: "", schema, jsonSchema: totalSchema });
    expect(spec.schema).toEqual(totalSchema);
  });

  // D15
  it("refuses an old zod by its version", () => {
    const old = {
      "~standard": { version: 1 as const, vendor: "zod", validate: (value: unknown) => ({ value }) },
      _zod: { version: { major: 4, minor: 1 } },
    };
    expect(() => defineOutput({ name: "x", description: "", schema: old })).toThrow(
      /zod 4\.1 .* 4\.2 or newer/,
    );
  });

  // case 4
  it("turns a converter that throws into a definition error at define time", () => {
    expect(refusalOf(z.object({ at: z.date() }))).toMatchObject({
      reason: "converter_failed",
      vendor: "zod",
    });
    const located = () => {
      throw Object.assign(new Error("no way"), { path: ["lines", 0, "at"] });
    };
    const schema = {
      "~standard": {
        version: 1,
        vendor: "acme",
        validate: () => ({ value: 1 }),
        jsonSchema: { input: located },
      },
    };
    expect(refusalOf(schema)).toMatchObject({ pointer: "/lines/0/at" });
  });

  // case 6
  it("works on a deep-frozen schema and leaves an unfrozen one as it was", () => {
    const schema = structuredClone(totalSchema) as unknown as Record<string, unknown>;
    const before = JSON.stringify(schema);
    const spec = define(schema as never);
    schema["title"] = "changed later";
    expect(JSON.stringify(spec.schema)).toBe(before);
    expect(Object.isFrozen(schema)).toBe(false);
    expect(Object.isFrozen(spec.schema)).toBe(true);
    expect(define(spec.schema).schema).toEqual(spec.schema);
  });

  // case 7
  it("refuses async schemas, data references and references that leave the document, with the pointer", () => {
    const at = (schema: object) => refusalOf({ type: "object", properties: { a: schema } });
    expect(at({ $async: true })).toEqual({ reason: "async_schema", pointer: "/properties/a/$async" });
    expect(at({ maximum: { $data: "1/b" } })).toEqual({
      reason: "data_reference",
      pointer: "/properties/a/maximum",
    });
    const remote = { reason: "remote_reference", pointer: "/properties/a/$ref" };
    expect(at({ $ref: "https://example.com/other.json" })).toEqual(remote);
    expect(at({ $ref: "other.json#/$defs/x" })).toEqual(remote);
    expect(at({ $ref: "#/$defs/missing" })).toEqual({ ...remote, reason: "unresolved_reference" });
    expect(at({ const: { $data: "x", $async: true } })).toBeUndefined();
  });

  // case 7
  it("accepts local cycles and documents that were handed in", async () => {
    const tree = {
      type: "object",
      properties: {
        children: { type: "array", items: { $ref: "#" } },
        unit: { $ref: "https://x.test/unit" },
      },
    };
    const schemas = { "https://x.test/unit": { enum: ["kg", "g"] } };
    const compiled = await defineOutput({ name: "t", description: "", schema: tree, schemas }).compile();
    expect(compiled.check({ children: [{ children: [] }], unit: "kg" })).toEqual([]);
    expect(compiled.check({ children: [{ unit: "lb" }] })).toHaveLength(1);
  });

  // case 8
  it("accepts unknown keywords and formats and lists them in the ledger", async () => {
    const schema = { type: "string", "x-foo": 1, format: "zip-code" };
    const spec = define(schema);
    const listed = spec.ledger.map(({ pointer, action, enforced }) => [pointer, action, enforced]);
    expect(listed).toEqual([
      ["", "wrapped", true],
      ["/x-foo", "ignored", false],
      ["/format", "ignored", false],
    ]);
    expect((await spec.compile()).check("anything")).toEqual([]);
    expect(total.ledger).toEqual([]);
  });

  // case 8
  it("lists keywords that only another draft knows, and what stands beside a reference in an old one", () => {
    const ignored = (schema: JsonSchema) =>
      define(schema)
        .ledger.filter(({ action }) => action === "ignored")
        .map(({ pointer }) => pointer);
    const list = { items: [{ type: "string" }] };
    const old = { type: "object", properties: { list }, unevaluatedProperties: false };
    expect(ignored(old)).toEqual(["/unevaluatedProperties"]);
    const $schema = "https://json-schema.org/draft/2020-12/schema";
    const tuple = { prefixItems: [{}], additionalItems: false };
    expect(ignored({ $schema, type: "object", properties: { tuple }, unevaluatedProperties: false })).toEqual(
      ["/properties/tuple/additionalItems"],
    );
    const referring = (draft: string) => ({
      $schema: draft,
      type: "object",
      properties: { a: { $ref: "#/definitions/a", description: "An a.", minLength: 3 } },
      definitions: { a: { type: "string" } },
    });
    expect(ignored(referring("http://json-schema.org/draft-07/schema#"))).toEqual([
      "/properties/a/minLength",
    ]);
    expect(ignored(referring($schema))).toEqual([]);
  });

  // case 9
  it("refuses a pattern that is no regular expression and compiles one that is valid without the u flag", async () => {
    expect(refusalOf({ type: "string", pattern: "(" })).toEqual({
      reason: "bad_pattern",
      pointer: "/pattern",
    });
    expect(refusalOf({ patternProperties: { "[": {} } })).toEqual({
      reason: "bad_pattern",
      pointer: "/patternProperties/[",
    });
    const compiled = await define({ type: "string", pattern: "^[\\w-.]+$" }).compile();
    expect(compiled.check("a-b.c")).toEqual([]);
    expect(compiled.check("a b")).toHaveLength(1);
  });

  it("refuses what is not JSON, names of no draft, and documents nested without end", () => {
    expect(refusalOf({ default: () => 1 })).toEqual({ reason: "not_json", pointer: "/default" });
    expect(refusalOf([])).toMatchObject({ reason: "not_json" });
    for (const $schema of ["https://example.com/mine", "http://json-schema.org/draft-03/schema#"])
      expect(refusalOf({ $schema })).toMatchObject({ reason: "unknown_draft" });
    const cyclic: Record<string, unknown> = {};
    cyclic["not"] = cyclic;
    expect(refusalOf(cyclic)).toEqual({ reason: "too_deep", pointer: "/not".repeat(8) });
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`p${at}`, {}]));
    const large = { type: "object", properties: wide, $defs: { a: wide } };
    expect(refusalOf(large)).toEqual({
      reason: "too_large",
      pointer: expect.stringMatching(/^\/\$defs\/a\/p\d+$/),
    });
    const id = "https://x.test/unit";
    const beside = () =>
      defineOutput({ name: "x", description: "", schema: true, schemas: { [id]: { default: 1n } as never } });
    expect(beside).toThrow(`a bigint is not JSON (at ${id}#/default)`);
    expect(refusalOf({ type: "object" })).toBeUndefined();
  });

  // O3
  it("gives a working copy and stays a shaping spec itself", () => {
    const working = total.withTools();
    expect([total.keepsTools, working.keepsTools, working.withTools().keepsTools]).toEqual([
      false,
      true,
      true,
    ]);
    expect(working.schema).toBe(total.schema);
  });

  // case 98
  it("is frozen through and through", () => {
    expect(
      Object.isFrozen(total) && Object.isFrozen(total.ledger) && Object.isFrozen(total.inputSchema),
    ).toBe(true);
    expect(() => Object.assign(total, { name: "other" })).toThrow(TypeError);
  });
});
