import type { JsonSchema, JsonValue } from "@basis/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ajvValidator } from "../src/ajv/index.ts";
import { defineOutput } from "../src/index.ts";
import { messages, object } from "./support/issue-lines.ts";
import { interpretingValidator } from "../src/interpreter/index.ts";
import { nearestName, writeFeedback, writeRejection } from "../src/feedback.ts";

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
    ["a bound", object({ a: { maximum: 3 } }), { a: 4 }, "/a: expected <= 3, got 4"],
    [
      "a length",
      object({ a: { maxLength: 3 } }),
      { a: "four" },
      "/a: expected at most 3 characters, got 4 characters",
    ],
    ["a count", object({ a: { minItems: 2 } }), { a: [1] }, "/a: expected at least 2 items, got 1 item"],
    [
      "a pattern",
      object({ a: { pattern: "^x" } }),
      { a: "y" },
      "/a: expected text matching ^x, got a text of 1 character",
    ],
    [
      "a pattern with the name of its format",
      object({ a: { pattern: "@", format: "email" } }),
      { a: "y" },
      "/a: expected text of the format email, matching @, got a text of 1 character",
    ],
    ["a multiple", object({ a: { multipleOf: 5 } }), { a: 4 }, "/a: expected a multiple of 5, got 4"],
    [
      "equal items",
      object({ a: { uniqueItems: true } }),
      { a: [1, 1] },
      "/a: items 0 and 1 are equal, all must differ",
    ],
    [
      "a name",
      object({}, { propertyNames: { maxLength: 1 } }),
      { ab: 1 },
      ': property name "ab" is not allowed: expected at most 1 character, got 2 characters',
    ],
    [
      "a dependency",
      object({}, { dependentRequired: { a: ["b"] } }),
      { a: 1 },
      ': missing property "b", which "a" needs',
    ],
    [
      "too few fits",
      object({ a: { contains: { const: 1 } } }),
      { a: [2] },
      "/a: expected at least 1 fitting item, got 0",
    ],
    [
      "too many fits",
      object({ a: { contains: { const: 1 }, maxContains: 1 } }),
      { a: [1, 1, 2] },
      "/a: expected at most 1 fitting item, got 2",
    ],
    [
      "a size",
      object({ a: { maxProperties: 1 } }),
      { a: { b: 1, c: 2 } },
      "/a: expected at most 1 property, got 2 properties",
    ],
    [
      "a closed list",
      object({ a: { prefixItems: [{}], items: false } }),
      { a: [1, 2] },
      "/a: expected at most 1 item, got 2 items",
    ],
    [
      "characters, not code units",
      object({ a: { minLength: 3 } }),
      { a: "\u{1f600}" },
      "/a: expected at least 3 characters, got 1 character",
    ],
    [
      "a choice of names",
      object({}, { propertyNames: { enum: ["red", "blue"] } }),
      { rde: 1 },
      ': property name "rde" is not allowed: expected one of "red", "blue"; nearest is "red"',
    ],
    [
      "what a negation leaves",
      object({ a: { not: { enum: ["x", "y"] } } }),
      { a: "x" },
      '/a: expected anything but one of "x", "y"',
    ],
    ["nothing at all", object({ a: false }), { a: 1 }, "/a: nothing is allowed here, got 1"],
    ["a negation", object({ a: { not: { type: "string" } } }), { a: "x" }, "/a: expected no string"],
  ])("says %s", async (_, schema, value, expected) => {
    const [first] = await messages(schema, value);
    expect(first).toBe(expected);
  });

  it("shows at most 8 allowed values and 80 characters of the received one", async () => {
    const values = Array.from({ length: 20 }, (_, index) => `value-${index}`);
    const [line] = await messages(object({ a: { enum: values } }), { a: "z".repeat(500) });
    expect(line).toContain('"value-7" and 12 more');
    expect(line!.match(/z+/)![0].length).toBeLessThanOrEqual(80);
  });

  it.each([ajvValidator(), interpretingValidator()])(
    "tells of a long list what the whole lacks",
    async (validator) => {
      const schema = { type: "array", contains: { const: 1 } } as const;
      const compiled = await defineOutput({ name: "f", description: "", schema, validator }).compile();
      const told = compiled.check(Array.from({ length: 700 }, () => 2)).map(({ message }) => message);
      expect(told).toEqual(["expected at least 1 fitting item, got 0"]);
    },
  );

  it("never cuts inside a character", async () => {
    for (const before of ["", "x"]) {
      const [line] = await messages(object({ a: { enum: ["a", "b"] } }), {
        a: before + "\u{1f600}".repeat(100),
      });
      expect(line).toContain("\u{1f600}…");
      expect(JSON.stringify(line)).not.toContain("\\ud83d");
    }
  });

  it("says nothing of sizes and numbers when redacted", async () => {
    const schema = object({ a: { minLength: 3 }, b: { maximum: 3 }, c: { pattern: "^x" } });
    const value = { a: "ab", b: 4711, c: "y" };
    expect((await messages(schema, value)).join()).toMatch(/2 characters.*4711.*1 character/);
    expect(await messages(schema, value, true)).toEqual([
      "/a: expected at least 3 characters, got string",
      "/b: expected <= 3, got integer",
      "/c: expected text matching ^x, got string",
    ]);
  });

  it("holds nothing of the received value when redacted", async () => {
    const schema = object({ a: { enum: ["open", "closed"] } }, { additionalProperties: false });
    const text = (await messages(schema, { a: "opem", zebra: 1 }, true)).join();
    expect(text).not.toMatch(/opem|zebra|nearest/);
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
