import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromCall, fromResult } from "../src/hook-request.ts";
import { sampleCall } from "../src/testing/index.ts";
import { decodeAnswer, encodeRequest } from "../src/wire.ts";

type Schema = { readonly [keyword: string]: unknown };

const document = JSON.parse(
  readFileSync(new URL("../schema/hook-wire.schema.json", import.meta.url), "utf8"),
) as Schema & { $defs: Record<string, Schema & { properties: Record<string, Schema>; required: string[] }> };

/** The keywords that the file uses, and no others. */
const KEYWORDS: Record<string, (argument: never, value: unknown) => boolean> = {
  $ref: (ref: string, value) => valid(document.$defs[ref.replace("#/$defs/", "")]!, value),
  anyOf: (branches: Schema[], value) => branches.some((branch) => valid(branch, value)),
  not: (schema: Schema, value) => !valid(schema, value),
  const: (expected: unknown, value) => value === expected,
  minimum: (least: number, value) => typeof value !== "number" || value >= least,
  required: (keys: string[], value) => !isObject(value) || keys.every((key) => Object.hasOwn(value, key)),
  properties: (members: Record<string, Schema>, value) =>
    !isObject(value) ||
    Object.entries(members).every(([key, schema]) => !Object.hasOwn(value, key) || valid(schema, value[key])),
  type: (type: string, value) => {
    if (type === "object") return isObject(value);
    return type === "integer" ? Number.isInteger(value) : typeof value === type;
  },
};
const ANNOTATIONS = new Set(["$schema", "$id", "title", "description", "$defs"]);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function valid(schema: Schema, value: unknown): boolean {
  return Object.entries(schema).every(([keyword, argument]) => {
    if (ANNOTATIONS.has(keyword)) return true;
    const check = KEYWORDS[keyword];
    if (check === undefined) throw new Error(`the checker of this test does not know '${keyword}'`);
    return check(argument as never, value);
  });
}

const isValid = (name: string, value: unknown) => valid(document.$defs[name]!, value);
const context = { parentAgentId: "root", depth: 1, toolSource: "builtin", effect: "command" };
const pre = JSON.parse(encodeRequest(fromCall("pre_tool_use", sampleCall(context), { workspace: "/w" })));
const post = JSON.parse(
  encodeRequest(fromResult(sampleCall(context), { output: "x", isError: false }, { workspace: "/w" })),
);

describe("hook-wire.schema.json", () => {
  it("lists the keys of both requests in the order in which they are written", () => {
    // H1, H4
    expect(Object.keys(document.$defs["preToolUse"]!.properties)).toEqual(Object.keys(pre));
    expect(Object.keys(document.$defs["postToolUse"]!.properties)).toEqual(Object.keys(post));
    expect(document.$defs["preToolUse"]!.required).toEqual(Object.keys(pre).slice(0, 7));
    expect(document.$defs["postToolUse"]!.required).toEqual(Object.keys(post).slice(0, 9));
  });

  it("accepts what is written and refuses a request with a part of it missing or misplaced", () => {
    expect(isValid("request", pre) && isValid("request", post)).toBe(true);
    for (const key of document.$defs["postToolUse"]!.required) {
      const { [key]: _removed, ...rest } = post;
      expect(isValid("request", rest)).toBe(false);
    }
    // H3
    expect(isValid("request", { ...pre, output: null })).toBe(false);
    expect(isValid("request", { ...pre, hook_schema: 2 })).toBe(false);
  });

  it("agrees with the decoder about every answer", () => {
    const member = fc.option(fc.jsonValue({ maxDepth: 1 }), { nil: undefined });
    const answers = fc.record({
      decision: fc.constantFrom("allow", "deny", "modify", "replace", "other", 1),
      input: fc.oneof(member, fc.constant({})),
      output: member,
      is_error: fc.constantFrom(undefined, true, false, null, "yes"),
      reason: fc.constantFrom(undefined, "because"),
    });
    fc.assert(
      fc.property(answers, (answer) => {
        const text = JSON.stringify(answer);
        const irrelevant = answer.decision !== "replace" && answer.is_error !== undefined;
        fc.pre(!irrelevant && !text.includes("__proto__"));
        expect(decodeAnswer(text).ok).toBe(isValid("answer", JSON.parse(text)));
      }),
      { numRuns: 500 },
    );
  });
});
