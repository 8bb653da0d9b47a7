import type { JsonSchema } from "@basis/core";
import { expect, it } from "vitest";
import { interpret } from "../../src/interpreter/interpreting-validator.ts";

/** Trees, loosely, and strictly: then each node has data. Both go through the same tree, by the same reference. */
const treesOf = (combiner: "allOf" | "anyOf", order: readonly string[]): JsonSchema => ({
  $id: "http://example.org/trees",
  [combiner]: order.map((name) => ({ $ref: name })),
  $defs: {
    tree: { $id: "tree", $dynamicAnchor: "node", properties: { child: { $dynamicRef: "#node" } } },
    loose: { $id: "loose", $ref: "tree" },
    strict: { $id: "strict", $dynamicAnchor: "node", $ref: "tree", required: ["data"] },
  },
});
const check = (schema: JsonSchema, value: object) =>
  interpret(schema, { draft: "2020-12", schemas: {} }).check(value as never);

const half = { data: 1, child: {} };
const whole = { data: 1, child: { data: 2 } };

it("what a reference found at a place is not taken for what it finds there in another dynamic scope", () => {
  for (const order of [
    ["loose", "strict"],
    ["strict", "loose"],
  ]) {
    expect(check(treesOf("allOf", order), half)).not.toEqual([]);
    expect(check(treesOf("allOf", order), whole)).toEqual([]);
    expect(check(treesOf("anyOf", order), half)).toEqual([]);
  }
  expect(check(treesOf("anyOf", ["strict"]), half)).not.toEqual([]);
});

it("a recursive reference of 2019-09 is judged by its scope too", () => {
  const schema = {
    $id: "http://example.org/trees",
    allOf: [{ $ref: "loose" }, { $ref: "strict" }],
    $defs: {
      tree: { $id: "tree", $recursiveAnchor: true, properties: { child: { $recursiveRef: "#" } } },
      loose: { $id: "loose", $ref: "tree" },
      strict: { $id: "strict", $recursiveAnchor: true, $ref: "tree", required: ["data"] },
    },
  };
  const judge = interpret(schema, { draft: "2019-09", schemas: {} });
  expect(judge.check(half)).not.toEqual([]);
  expect(judge.check(whole)).toEqual([]);
});
