import type { JsonSchema } from "@basis/core";
import { describe, expect, it } from "vitest";
import { messages, object } from "./support/issue-lines.ts";

// case 63
describe("a union", () => {
  const tagged = (kind: string, more: Record<string, JsonSchema> = {}) =>
    object(
      { kind: { const: kind }, ...more },
      { required: ["kind", ...Object.keys(more)], additionalProperties: false },
    );
  const shape = {
    oneOf: [tagged("circle", { r: { type: "number" } }), tagged("square", { side: { type: "number" } })],
  };

  it("tells only of the branch whose tag the value carries", async () => {
    expect(await messages(object({ s: shape }), { s: { kind: "square", side: "2" } })).toEqual([
      "/s/side: expected number, got string",
    ]);
  });

  it("tells the allowed tags when none fits or none is there", async () => {
    const tags = 'expected one of "circle", "square"';
    expect(await messages(object({ s: shape }), { s: { kind: "squares" } })).toEqual([
      `/s/kind: ${tags}, got "squares"; nearest is "square"`,
    ]);
    expect(await messages(object({ s: shape }), { s: {} })).toEqual([`/s/kind: ${tags}, got nothing`]);
  });

  it("tells the kinds when none fits, and the only branch of the value's kind otherwise", async () => {
    const either = object({ a: { anyOf: [{ type: "string", minLength: 3 }, { type: "null" }] } });
    expect(await messages(either, { a: 1 })).toEqual(["/a: expected string or null, got 1"]);
    expect(await messages(either, { a: "x" })).toEqual([
      "/a: expected at least 3 characters, got 1 character",
    ]);
  });

  it("tells of the branch with the fewest complaints where there is no tag", async () => {
    const either = {
      anyOf: [
        object({ a: { type: "string" } }, { required: ["a", "b", "c"] }),
        object({ d: { type: "string" } }),
      ],
    };
    expect(await messages(either, { d: 1 })).toEqual(["/d: expected string, got 1"]);
  });

  it("tells one choice of a union of constants", async () => {
    const either = object({ a: { anyOf: [{ const: "x" }, { const: "y" }, { enum: [1] }] } });
    expect(await messages(either, { a: "z" })).toEqual([
      '/a: expected one of "x", "y", got "z"; nearest is "x"',
    ]);
  });

  it("follows references and nests", async () => {
    const schema = {
      $defs: {
        leaf: tagged("leaf", { n: { type: "integer" } }),
        node: tagged("node", { child: { $ref: "#/$defs/tree" } }),
        tree: { anyOf: [{ $ref: "#/$defs/leaf" }, { $ref: "#/$defs/node" }] },
      },
      type: "object",
      properties: { root: { $ref: "#/$defs/tree" } },
    };
    const value = { root: { kind: "node", child: { kind: "node", child: { kind: "leaf", n: "1" } } } };
    expect(await messages(schema, value)).toEqual(["/root/child/child/n: expected integer, got string"]);
  });

  it("says when more than one alternative fits", async () => {
    const both = object({ a: { oneOf: [{ type: "number" }, { minimum: 0 }] } });
    expect(await messages(both, { a: 1 })).toEqual([
      "/a: fits alternatives 1 and 2, must fit exactly one, got 1",
    ]);
  });
});
