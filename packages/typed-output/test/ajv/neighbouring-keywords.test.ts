import type { JsonSchema, JsonValue } from "@basis/core";
import { describe, expect, it } from "vitest";
import { ajvValidator } from "../../src/ajv/index.ts";
import { defineOutput } from "../../src/index.ts";
import { interpretingValidator } from "../../src/interpreter/index.ts";

describe.each([
  ["ajv", ajvValidator()],
  ["the interpreter", interpretingValidator()],
])("%s", (_, validator) => {
  const accepts = async (schema: JsonSchema, value: JsonValue): Promise<boolean> => {
    const { check } = await defineOutput({ name: "x", description: "", schema, validator }).compile();
    return check(value).length === 0;
  };

  it("keeps the verdicts of neighbouring keywords apart", async () => {
    for (const beside of [{ prefixItems: [{ type: "string" }] }, { items: { type: "string" } }, {}]) {
      const schema = { type: "array", ...beside, contains: { const: "b" } };
      expect([await accepts(schema, []), await accepts(schema, ["a"]), await accepts(schema, ["b"])]).toEqual(
        [false, false, true],
      );
    }
  });

  it("takes OpenAPI's nullable beside a type, and for nothing elsewhere", async () => {
    const text = { type: "string", nullable: true };
    expect([await accepts(text, null), await accepts(text, "a"), await accepts(text, 1)]).toEqual([
      true,
      true,
      false,
    ]);
    const choice = { enum: ["a", "b"], nullable: true };
    expect([await accepts(choice, "a"), await accepts(choice, null)]).toEqual([true, false]);
    expect(await accepts({ type: "null", nullable: false }, null)).toBe(true);
    expect(await accepts({ anyOf: [{ type: "string" }], nullable: true }, "a")).toBe(true);
  });
});
