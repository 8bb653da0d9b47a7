import { describe, expect, it } from "vitest";
import { defineOutput, lint } from "../src/index.ts";
import { total } from "./support/asking.ts";

describe("lint", () => {
  it("warns of every field without a description, at any depth, and of nothing else", () => {
    const schema = {
      type: "object",
      properties: {
        named: { type: "string", description: "A name." },
        bare: { type: "object", properties: { inner: { type: "string" }, kind: { const: "x" } } },
        list: { type: "array", description: "A list.", items: { type: "object", properties: { deep: {} } } },
      },
    };
    const warnings = lint(defineOutput({ name: "x", description: "An x.", schema }));
    expect(warnings.map(({ pointer }) => pointer)).toEqual([
      "/properties/bare",
      "/properties/bare/properties/inner",
      "/properties/list/items/properties/deep",
    ]);
    expect(lint(total)).toEqual([]);
  });

  it("warns of an output that does not say what it is for", () => {
    const spec = defineOutput({ name: "x", description: " ", schema: { type: "object" } });
    expect(lint(spec)).toEqual([{ pointer: "", message: "the output has no description" }]);
  });
});
