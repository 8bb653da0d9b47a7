import type { JsonObject, JsonSchema, JsonValue } from "@basis/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ajvValidator } from "../src/ajv/index.ts";
import { isMultipleOf } from "../src/decimal-multiple.ts";
import { defineOutput, runOutput } from "../src/index.ts";
import { lowerSchema } from "../src/lowering/index.ts";
import { interpretingValidator } from "../src/interpreter/index.ts";
import { scriptedRunner } from "../src/testing/index.ts";

async function statusOf(schema: JsonSchema, value: JsonValue): Promise<string> {
  const spec = defineOutput({ name: "x", description: "", schema });
  const runner = scriptedRunner([{ terminal: JSON.stringify(value) }]);
  return (await runOutput(runner, spec, "Go.", { attempts: 1 })).status;
}

const validators = { ajv: ajvValidator(), interpreter: interpretingValidator() };

// case 55
describe("nothing is accepted that the author's schema rejects", () => {
  it("though an alternative has so many issues that the judging of it stops", async () => {
    const schema = {
      type: "object",
      anyOf: [
        {
          allOf: [{ properties: { list: { items: { type: "integer" } } } }, { $ref: "#/$defs/named" }],
        },
        { $ref: "#/$defs/named" },
      ],
      $defs: { named: { properties: { name: { type: "string" } } } },
    };
    const list = Array.from({ length: 600 }, () => "x");
    expect(await statusOf(schema, { list, name: 5 })).toBe("mismatch");
    expect(await statusOf(schema, { list, name: "a" })).toBe("accepted");
  });

  it("as evaluated members whose names every object has, or items of an alternative that isn't met", async () => {
    const closed = {
      type: "object",
      patternProperties: { "^x-": { type: "string" } },
      unevaluatedProperties: false,
    };
    expect(await statusOf(closed, { toString: "" })).toBe("mismatch");
    expect(await statusOf(closed, { "x-a": "" })).toBe("accepted");
    const list = {
      type: "object",
      properties: {
        list: {
          oneOf: [{ minItems: 3 }, { prefixItems: [true, { type: "null" }] }],
          unevaluatedItems: false,
        },
      },
    };
    expect(await statusOf(list, { list: [1, 2, 3] })).toBe("mismatch");
    expect(await statusOf(list, { list: [1, null] })).toBe("accepted");
  });

  it.each(Object.entries(validators))(
    "as a multiple by the rounding of a division, by %s",
    async (_, judge) => {
      const compile = (multipleOf: number) =>
        defineOutput({ name: "x", description: "", schema: { multipleOf }, validator: judge }).compile();
      expect((await compile(3)).check(1e17)).toMatchObject([{ message: "expected a multiple of 3" }]);
      expect((await compile(3)).check(3e17)).toEqual([]);
      const cents = await compile(0.01);
      expect(
        [19.99, 0.07, 1.1, 4.35, -8.2, 0, 1e300].filter((price) => cents.check(price).length > 0),
      ).toEqual([]);
      expect(cents.check(19.995)).toMatchObject([{ message: "expected a multiple of 0.01" }]);
    },
  );

  it.each(Object.entries(validators))(
    "nor refused for what stands beside a reference in draft 07, by %s",
    async (_, judge) => {
      const schema = {
        type: "object",
        properties: { n: { $ref: "#/definitions/n", type: ["string", "null"] } },
        definitions: { n: { type: "integer" } },
      };
      const { check } = await defineOutput({
        name: "x",
        description: "",
        schema,
        draft: "draft-07",
        validator: judge,
      }).compile();
      expect(check({ n: 1 })).toEqual([]);
      expect(check({ n: "1" })).not.toEqual([]);
    },
  );

  it.each(Object.entries(validators))(
    "because a text is too long for a pattern that refuses, by %s",
    async (_, validator) => {
      const long = `${"x".repeat(2_000)}secret`;
      const refusing: JsonSchema[] = [
        { type: "object", properties: { a: { not: { pattern: "(?=.*secret)" } } } },
        { type: "object", properties: { a: { if: { not: { pattern: "(?=.*secret)" } }, else: false } } },
        { type: "object", patternProperties: { "(?=.*secret)": false } },
      ];
      for (const schema of refusing) {
        const { check } = await defineOutput({ name: "x", description: "", schema, validator }).compile();
        const value = "patternProperties" in (schema as JsonObject) ? { [long]: 1 } : { a: long };
        expect(check(value)).toMatchObject([{ message: "the schema cannot judge this value" }]);
        expect(check({ a: "short" })).toEqual([]);
      }
      const asking = { type: "object", properties: { a: { pattern: "(?=.*secret)" } } };
      const { check } = await defineOutput({
        name: "x",
        description: "",
        schema: asking,
        validator,
      }).compile();
      expect(check({ a: long })).toMatchObject([{ pointer: "/a", keyword: "pattern" }]);
    },
  );

  it("because a pattern that cannot be read stands where only a reference leads", async () => {
    const schema = { type: "object", properties: { a: { $ref: "#/x/b" } }, x: { b: { pattern: "(" } } };
    const at = (pointer: string) => expect.objectContaining({ details: { pointer, reason: "bad_pattern" } });
    const define = (more: JsonSchema, schemas = {}) =>
      defineOutput({ name: "x", description: "", schema: more, schemas });
    expect(() => define(schema)).toThrow(at("/x/b/pattern"));
    const remote = { type: "object", properties: { a: { $ref: "https://x.test/b" } } };
    expect(() => define(remote, { "https://x.test/b": { items: { pattern: "(" } } })).toThrow(
      at("https://x.test/b#/items/pattern"),
    );
    const { check } = await validators.interpreter.compile(
      { patternProperties: { "(": {} }, properties: { a: { pattern: "(" } } },
      { draft: "2020-12", schemas: {} },
    );
    expect(check({ b: 1 })).not.toEqual([]);
  });

  it("because a document that is referred to is no schema, or refers to nowhere", async () => {
    const id = "https://x.test/b";
    const define = (document: JsonSchema) =>
      defineOutput({
        name: "x",
        description: "",
        schema: { type: "object", properties: { a: { $ref: id } } },
        schemas: { [id]: document },
      });
    const misshapen = define({ items: { type: "text" } }).compile();
    await expect(misshapen).rejects.toMatchObject({
      code: "schema_invalid",
      details: { pointer: `${id}#/items/type` },
    });
    expect(() => define({ items: { $ref: "https://y.test/c" } })).toThrow(
      expect.objectContaining({ details: { pointer: `${id}#/items/$ref`, reason: "remote_reference" } }),
    );
    expect((await define({ items: { $ref: "#" } }).compile()).check({ a: [[]] })).toEqual([]);
  });

  it("as a number that is none", async () => {
    const schema = { type: "object", properties: { a: { type: "number" }, b: { const: 2 ** 53 } } };
    const spec = defineOutput({ name: "x", description: "", schema });
    const answer = async (terminal: string) =>
      (await runOutput(scriptedRunner([{ terminal }]), spec, "Go.", { attempts: 1 })).status;
    expect(await answer('{"a":1e400}')).toBe("mismatch");
    expect(await answer(`{"a":${"9".repeat(400)}}`)).toBe("mismatch");
    expect(await answer('{"a":1e300}')).toBe("accepted");
    expect(await answer('{"b":9007199254740993}')).toBe("mismatch");
  });

  it("as a tuple's place that was not written", () => {
    const tuple = {
      type: "array",
      prefixItems: [{ type: ["null", "integer"] }, { type: "integer" }],
      items: false,
      minItems: 2,
    };
    const lowered = lowerSchema({ type: "object", properties: { t: tuple }, required: ["t"] }, "anthropic");
    expect(lowered.lift({ t: { item_2: 5 } }).issues).toMatchObject([
      { pointer: "/t", message: 'missing property "item_1"' },
    ]);
    expect(lowered.lift({ t: { item_1: null, item_2: 5 } })).toEqual({ value: { t: [null, 5] }, issues: [] });
  });
});

describe("multiples", () => {
  it("are those of the decimals that are written", () => {
    const parts = fc.tuple(
      fc.integer({ min: 1, max: 9_999 }),
      fc.integer({ min: 0, max: 6 }),
      fc.integer({ min: -9_999, max: 9_999 }),
    );
    fc.assert(
      fc.property(parts, ([digits, places, times]) => {
        const [divisor, value] = [Number(`${digits}e-${places}`), Number(`${digits * times}e-${places}`)];
        const off = Number(`${digits * times * 10 + 5}e-${places + 1}`);
        expect(isMultipleOf(value, divisor)).toBe(true);
        expect(isMultipleOf(off, divisor)).toBe(false);
      }),
    );
  });
});
