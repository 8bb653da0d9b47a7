import type { JsonSchema, JsonValue } from "@basis/core";
import { describe, expect, it } from "vitest";
import { defineOutput, streamOutput } from "../../src/index.ts";
import { listPlaces } from "../../src/stream/list-places.ts";
import { scriptedRunner } from "../../src/testing/index.ts";
import { list, report, typesOf, watch } from "../support/watching.ts";

const specOf = (schema: JsonSchema) => defineOutput<JsonValue>({ name: "x", description: "", schema });
const ints = { type: "array", items: { type: "integer" } };
const withRows = { properties: { rows: ints } };

const leading: readonly [string, JsonSchema, string][] = [
  ["a property", withRows, "/rows"],
  ["a property of a referred schema", { $ref: "#/$defs/a", $defs: { a: withRows } }, "/rows"],
  ["a property in a part of all", { allOf: [{ type: "object" }, withRows] }, "/rows"],
  ["a property of one branch", { anyOf: [{ type: "null" }, withRows] }, "/rows"],
  ["a list or nothing", { properties: { rows: { anyOf: [ints, { type: "null" }] } } }, "/rows"],
  ["a property by its pattern", { patternProperties: { "^r": ints } }, "/rows"],
  ["a property of no name", { additionalProperties: ints }, "/rows"],
  ["an element of a tuple", { type: "array", prefixItems: [{ type: "string" }, ints] }, "/1"],
  ["a property of an element", { properties: { all: { items: withRows } } }, "/all/0/rows"],
  ["a property of an unknown shape", { properties: { rows: {} } }, "/rows"],
  ["a property called constructor", { properties: { constructor: ints } }, "/constructor"],
  ["escaped names", { properties: { "a/b~c": ints } }, "/a~1b~0c"],
];

const lost: readonly [string, JsonSchema, string][] = [
  ["no such property", withRows, "/nope"],
  ["a property that every object inherits", withRows, "/constructor"],
  ["a text", { properties: { rows: { type: "string" } } }, "/rows"],
  ["a choice of texts", { properties: { rows: { enum: ["a"] } } }, "/rows"],
  ["a constant", { properties: { rows: { const: 1 } } }, "/rows"],
  [
    "branches of which none is a list",
    { properties: { rows: { anyOf: [{ type: "string" }, { type: "null" }] } } },
    "/rows",
  ],
  ["a part of all that is no list", { properties: { rows: { allOf: [{}, { type: "string" }] } } }, "/rows"],
  [
    "a reference to a text",
    { properties: { rows: { $ref: "#/$defs/a" } }, $defs: { a: { type: "string" } } },
    "/rows",
  ],
  ["an element of no list", withRows, "/rows/x"],
  ["a name beside its pattern", { patternProperties: { "^r": ints } }, "/other"],
];

describe("a path to the list whose elements are told", () => {
  it.each(leading)("may lead to %s", (_what, schema, pointer) => {
    expect(() => listPlaces(specOf(schema), pointer)).not.toThrow();
  });

  it.each(lost)("may not lead to %s", (_what, schema, pointer) => {
    expect(() => listPlaces(specOf(schema), pointer)).toThrow(
      expect.objectContaining({ code: "definition_error", details: { reason: "bad_elements", pointer: "" } }),
    );
  });

  it("ends in a schema that refers to itself", () => {
    const schema = { $ref: "#/$defs/a", $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }, withRows] } } };
    expect(listPlaces(specOf(schema), "/rows")).toEqual([]);
    const loop = {
      allOf: [{ $ref: "#/$defs/a" }],
      $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
    };
    expect(listPlaces(specOf(loop), "/rows")).toEqual([]);
  });

  it("reads nothing beside a reference in older drafts, and all of it in newer ones", () => {
    const schema = { $ref: "#/definitions/a", ...withRows, definitions: { a: { type: "object" } } };
    const older = { $schema: "http://json-schema.org/draft-07/schema#", ...schema };
    expect(() => listPlaces(specOf(older), "/rows")).toThrow(/leads to no list/);
    expect(listPlaces(specOf(schema), "/rows")).toEqual([ints]);
  });

  it("ends a run before its first request", async () => {
    const { events, runner } = await watch(report, [{ terminal: '{"title":"x"}' }], { elements: "/nope" });
    expect(events).toMatchObject([
      {
        type: "result",
        attempt: {
          status: "failed",
          error: { code: "definition_error", message: expect.stringContaining('"/nope"') },
        },
      },
    ]);
    expect(runner.requests).toHaveLength(0);
  });

  it.each([5, null, {}, "rows", "/a~", "/a~2"])("that is no JSON pointer (%j) is a TypeError", (elements) => {
    const options = { elements: elements as string };
    const ask = () => streamOutput(scriptedRunner([]), list, "Go.", options);
    expect(ask).toThrow(TypeError);
    expect(ask).toThrow(
      `elements is a JSON pointer to a list, such as /rows, not ${JSON.stringify(elements)}`,
    );
  });
});

// case 87
describe("an element", () => {
  const told = async (schema: JsonSchema) => {
    const { events } = await watch(specOf(schema), [{ terminal: '{"value":{"rows":[1,"two"]}}' }], {
      elements: "/rows",
      attempts: 1,
    });
    return typesOf(events);
  };

  it("is checked against every part that holds for its list", async () => {
    const parts = { allOf: [withRows, { properties: { rows: { items: { not: { const: 1 } } } } }] };
    expect(await told(parts)).toEqual(["invalid_element", "invalid_element", "result"]);
    expect(await told({ allOf: [withRows] })).toEqual(["element", "invalid_element", "result"]);
  });

  it("is told as it came where its schema depends on the rest of the answer", async () => {
    expect(await told({ anyOf: [{ ...withRows, required: ["kind"] }, {}] })).toEqual([
      "element",
      "element",
      "result",
    ]);
  });
});
