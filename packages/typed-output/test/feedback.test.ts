import type { JsonSchema, JsonValue } from "@basis/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineOutput } from "../src/index.ts";
import { describeIssue, nearestName, writeFeedback, writeRejection } from "../src/feedback.ts";

async function messages(schema: JsonSchema, value: JsonValue, redact = false): Promise<string[]> {
  const compiled = await defineOutput({ name: "f", description: "", schema }).compile();
  return compiled.check(value).map((issue) => {
    const { pointer, message } = describeIssue(issue, value, redact);
    return `${pointer}: ${message}`;
  });
}

const object = (properties: Record<string, JsonSchema>, more: object = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});
const context = { remaining: 2, repeated: false, prefix: "" };

// case 62
describe("an issue in one line", () => {
  it.each<[string, JsonSchema, JsonValue, string]>([
    ["a kind", object({ a: { type: "integer" } }), { a: "x" }, "/a: expected integer, got string"],
    [
      "several kinds",
      object({ a: { type: ["integer", "null"] } }),
      { a: [] },
      "/a: expected integer or null, got array",
    ],
    [
      "a choice",
      object({ a: { enum: ["open", "closed"] } }),
      { a: "Opened" },
      '/a: expected one of "open", "closed", got "Opened"; nearest is "open"',
    ],
    ["a constant", object({ a: { const: 1 } }), { a: {} }, "/a: expected 1, got object"],
    ["a missing property", object({}, { required: ["a"] }), {}, ': missing property "a"'],
    [
      "an unknown property",
      object({ total: {} }, { additionalProperties: false }),
      { totl: 1 },
      ': unknown property "totl"',
    ],
    ["a bound", object({ a: { maximum: 3 } }), { a: 4 }, "/a: expected <= 3, got integer"],
    [
      "a length",
      object({ a: { maxLength: 3 } }),
      { a: "four" },
      "/a: expected at most 3 characters, got string",
    ],
    ["a count", object({ a: { minItems: 2 } }), { a: [1] }, "/a: expected at least 2 items, got array"],
    ["a pattern", object({ a: { pattern: "^x" } }), { a: "y" }, "/a: expected text matching ^x, got string"],
    ["a multiple", object({ a: { multipleOf: 5 } }), { a: 4 }, "/a: expected a multiple of 5, got integer"],
    [
      "equal items",
      object({ a: { uniqueItems: true } }),
      { a: [1, 1] },
      "/a: items 0 and 1 are equal, all must differ, got array",
    ],
    [
      "a name",
      object({}, { propertyNames: { maxLength: 1 } }),
      { ab: 1 },
      ': property name "ab" is not allowed',
    ],
    [
      "a dependency",
      object({}, { dependentRequired: { a: ["b"] } }),
      { a: 1 },
      ': missing property "b", which "a" needs, got object',
    ],
    [
      "too few fits",
      object({ a: { contains: { const: 1 } } }),
      { a: [2] },
      "/a: expected at least 1 fitting items, got array",
    ],
    ["nothing at all", object({ a: false }), { a: 1 }, "/a: nothing is allowed here, got integer"],
    [
      "a negation",
      object({ a: { not: { type: "string" } } }),
      { a: "x" },
      "/a: a string like this is not allowed, got string",
    ],
  ])("says %s", async (_, schema, value, expected) => {
    const [first] = await messages(schema, value);
    expect(first?.startsWith(expected)).toBe(true);
  });

  it("shows at most 8 allowed values and 80 characters of the received one", async () => {
    const values = Array.from({ length: 20 }, (_, index) => `value-${index}`);
    const [line] = await messages(object({ a: { enum: values } }), { a: "z".repeat(500) });
    expect(line).toContain('"value-7" and 12 more');
    expect(line!.match(/z+/)![0].length).toBeLessThanOrEqual(80);
  });

  it("holds nothing of the received value when redacted", async () => {
    const schema = object({ a: { enum: ["open", "closed"] } }, { additionalProperties: false });
    const text = (await messages(schema, { a: "opem", zebra: 1 }, true)).join();
    expect(text).not.toMatch(/opem|zebra|nearest/);
  });
});

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
    expect(await messages(either, { a: 1 })).toEqual(["/a: expected string or null, got integer"]);
    expect(await messages(either, { a: "x" })).toEqual(["/a: expected at least 3 characters, got string"]);
  });

  it("tells of the branch with the fewest complaints where there is no tag", async () => {
    const either = {
      anyOf: [
        object({ a: { type: "string" } }, { required: ["a", "b", "c"] }),
        object({ d: { type: "string" } }),
      ],
    };
    expect(await messages(either, { d: 1 })).toEqual(["/d: expected string, got integer"]);
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
      "/a: fits more than one alternative, must fit exactly one, got integer",
    ]);
  });
});

describe("a feedback", () => {
  // case 62
  it("keeps to 600 characters and 10 lines, whatever there is to tell", () => {
    const unit = fc.oneof(fc.string({ minLength: 1, maxLength: 1 }), fc.constantFrom("\n", "\r", "\u2028"));
    const text = (maxLength: number) => fc.string({ unit, maxLength });
    const issue = fc.record({
      stage: fc.constant("schema" as const),
      pointer: text(300).map((s) => `/${s}`),
      message: text(400),
    });
    fc.assert(
      fc.property(
        fc.array(issue, { maxLength: 60 }),
        fc.boolean(),
        fc.nat(9),
        (issues, repeated, remaining) => {
          const told = writeFeedback(issues, { remaining, repeated, prefix: "/value" });
          expect(told.length).toBeLessThanOrEqual(600);
          expect(told.split(/[\n\r\u2028]/).length).toBeLessThanOrEqual(10);
          expect(told).toContain(remaining === 1 ? "1 attempt is left" : `${remaining} attempts are left`);
        },
      ),
    );
  });

  it("counts what it leaves out and shows places as the model sees them", () => {
    const issues = Array.from({ length: 30 }, (_, index) => ({
      stage: "schema" as const,
      pointer: `/${index}`,
      message: "expected string",
    }));
    const text = writeFeedback(issues, { ...context, prefix: "/value" });
    expect(text).toMatch(/^The answer was not accepted:\n- \/value\/0: expected string\n/);
    expect(text).toMatch(/- and 2\d more\n2 attempts are left\.$/);
  });

  it("leaves a host's message whole", () => {
    const message = "x".repeat(2_000);
    expect(writeRejection(message, { ...context, repeated: true })).toBe(
      `${message}\nThis is the same answer as before; change it.\n2 attempts are left.`,
    );
  });
});

describe("nearestName", () => {
  it("finds a name a few edits away in any case, and nothing far", () => {
    expect(nearestName("STATSU", ["total", "status"])).toBe("status");
    expect(nearestName("completely", ["total", "status"])).toBeUndefined();
  });
});
