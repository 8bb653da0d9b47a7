import type { JsonSchema, JsonValue } from "@basis/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ajvValidator } from "../src/ajv/index.ts";
import { isMultipleOf } from "../src/decimal-multiple.ts";
import { defineOutput, runOutput } from "../src/index.ts";
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
