import type { JsonSchema, JsonValue } from "@basis/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineOutput } from "../src/index.ts";
import { toModelSchema, unwrap, unwrapSchemaPointer } from "../src/root-wrapper.ts";
import { ask } from "./support/asking.ts";

async function answer(schema: JsonSchema, terminal: string): Promise<JsonValue | undefined> {
  const spec = defineOutput<JsonValue>({ name: "root", description: "", schema });
  const { attempt } = await ask([{ terminal }], { spec, attempts: 1 });
  return attempt.status === "accepted" ? attempt.value : undefined;
}

// case 10
describe("a root that is no object", () => {
  it.each<[JsonSchema, JsonValue]>([
    [{ type: "array", items: { type: "integer" } }, [1, 2]],
    [{ type: "string" }, "text"],
    [{ enum: ["a", "b"] }, "a"],
    [{ type: "number" }, 1.5],
    [{ anyOf: [{ type: "object", properties: { a: { type: "string" } } }, { type: "null" }] }, null],
    [true, { value: 3 }],
  ])("is wrapped for the model and unwrapped in the value: %j", async (schema, value) => {
    const model = toModelSchema(schema);
    expect(model.wrapped).toBe(true);
    expect(model.schema).toMatchObject({ type: "object", required: ["value"] });
    expect(await answer(schema, JSON.stringify({ value }))).toEqual(value);
  });

  it("is taken bare where it fits, and noted", async () => {
    const spec = defineOutput({
      name: "list",
      description: "",
      schema: { type: "array", items: { type: "string" } },
    });
    const { attempt } = await ask([{ terminal: '["a"]' }], { spec });
    expect(attempt).toMatchObject({ status: "accepted", value: ["a"], normalized: true });
    expect(attempt.attempts[0]?.notes).toEqual([{ kind: "bare_root", pointer: "" }]);
  });

  it("keeps local references whole inside the wrapper", async () => {
    const schema = {
      type: "array",
      items: { $ref: "#/$defs/a~1b" },
      $defs: { "a/b": { enum: [1] }, self: { $ref: "#" } },
    };
    const model = toModelSchema(schema).schema;
    const wrapper = await defineOutput({ name: "w", description: "", schema: model }).compile();
    expect(wrapper.check({ value: [1] })).toEqual([]);
    expect(wrapper.check({ value: [2] })).toHaveLength(1);
  });
});

describe("an object at the root", () => {
  it("is shown as it stands, and gets its type when it only forgot that", () => {
    const plain = { type: "object", properties: {} };
    expect(toModelSchema(plain)).toEqual({ schema: plain, wrapped: false, ledger: [] });
    const bare = { properties: { a: {} }, required: ["a"] };
    expect(toModelSchema(bare)).toMatchObject({ schema: { type: "object", ...bare }, wrapped: false });
    expect(toModelSchema({ $ref: "#/$defs/x", $defs: { x: plain } }).wrapped).toBe(true);
  });
});

describe("unwrap", () => {
  it("undoes the wrapper for every value and nothing else", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(unwrap({ value: value as JsonValue })).toEqual({ value });
      }),
    );
    expect([unwrap([1]), unwrap({}), unwrap({ value: 1, more: 2 }), unwrap("value")]).toEqual(
      Array(4).fill(undefined),
    );
  });

  it("takes the wrapper off a pointer", () => {
    expect(
      ["/properties/value", "/properties/value/items/0", "/properties/valued", ""].map(unwrapSchemaPointer),
    ).toEqual(["", "/items/0", "/properties/valued", ""]);
  });
});
