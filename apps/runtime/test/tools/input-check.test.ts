import { describe, expect, it } from "vitest";
import { inputCheck } from "../../src/tools/input-check.ts";
import { readTool } from "../../src/tools/file-tools.ts";

describe("the check of a tool's input", () => {
  it.each([
    [{ path: "a" }, undefined],
    [{}, 'the input: missing property "path"'],
    [
      '{"path":"a","path":"b"}',
      'the arguments must be one JSON object: the key "path" stands twice at the root',
    ],
    ['{"path":"a"', "the arguments must be one JSON object: the JSON document is not finished"],
    ["[1]", "the arguments must be one JSON object"],
  ])("of %j says %s", async (input, said) => {
    expect((await inputCheck(readTool("/")))(input)).toBe(said);
  });

  it("names the allowed values and the known properties", async () => {
    const properties = { mode: { enum: ["read", "write"] } };
    const inputSchema = { type: "object", properties, additionalProperties: false };
    const check = await inputCheck({ ...readTool("/"), inputSchema });
    expect(check({ mode: "reed", more: 1 })).toBe(
      '/mode: expected one of "read", "write"; the input: unknown property "more" ("mode")',
    );
    expect(check({ mode: "read" })).toBeUndefined();
  });

  it.each([
    ["http://json-schema.org/draft-07/schema#", { items: [{ type: "number" }], additionalItems: false }],
    ["http://json-schema.org/draft-04/schema#", { items: [{ type: "number" }], additionalItems: false }],
    [undefined, { items: [{ type: "number" }], additionalItems: false }],
    ["https://json-schema.org/draft/2020-12/schema", { prefixItems: [{ type: "number" }], items: false }],
  ])("reads a schema of %s in its own draft", async ($schema, list) => {
    const at = { type: "array", ...list };
    const inputSchema = { ...($schema && { $schema }), type: "object", properties: { at } };
    const check = await inputCheck({ ...readTool("/"), inputSchema });
    expect(check({ at: [1] })).toBeUndefined();
    expect(check({ at: ["1"] })).toBe("/at/0: expected number");
    expect(check({ at: [1, 2] })).toBe("/at: expected at most 1 item");
  });
});
