import type { JsonSchema, JsonValue } from "@basis/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineOutput, type OutputAttempt } from "../src/index.ts";
import { ask } from "./support/asking.ts";

async function answer(schema: JsonSchema, terminal: string): Promise<OutputAttempt<JsonValue>> {
  const spec = defineOutput<JsonValue>({ name: "report", description: "", schema });
  return (await ask([{ terminal }], { spec, attempts: 1 })).attempt;
}

async function nativeAnswer(schema: JsonSchema, text: string): Promise<OutputAttempt<JsonValue>> {
  const spec = defineOutput<JsonValue>({ name: "report", description: "", schema });
  return (await ask([{ text }], { spec, attempts: 1, strategy: "prompted" })).attempt;
}

const open: JsonSchema = { type: "object" };
const lines: JsonSchema = {
  type: "object",
  properties: {
    lines: { type: "array", items: { type: "object", required: ["qty"] } },
    note: { type: "string" },
  },
  required: ["lines"],
  additionalProperties: false,
};

describe("the text of an answer", () => {
  // O12, case 77
  it.each(["```json\n{}\n```", "Here it is: {}", '{"a":1,}', "{'a':1}", '{"a":True}', '{"a":1} {"b":2}', ""])(
    "is read as it stands in a tool call: %j is malformed",
    async (text) => {
      expect(await answer(open, text)).toMatchObject({
        status: "mismatch",
        at: "parse",
        candidate: text,
        attempts: [{ verdict: "malformed" }],
      });
      expect((await answer(open, "{}")).status).toBe("accepted");
    },
  );

  // case 77
  it("may stand in one code fence when it is a text, which is noted", async () => {
    const fenced = await nativeAnswer(open, '\n```json\n{"a":1}\n```\n');
    expect(fenced).toMatchObject({ status: "accepted", value: { a: 1 }, normalized: true });
    expect(fenced.attempts[0]?.notes).toEqual([{ kind: "code_fence", pointer: "" }]);
    expect((await nativeAnswer(open, 'Sure:\n```json\n{"a":1}\n```')).status).toBe("mismatch");
  });

  // P2, case 78, 79
  it("is truncated when it was cut, never another value: 4,000 random cuts, none accepted", async () => {
    const spec = defineOutput<JsonValue>({ name: "report", description: "", schema: true });
    const values = fc.oneof(fc.object({ maxDepth: 3 }), fc.array(fc.jsonValue()), fc.string());
    await fc.assert(
      fc.asyncProperty(values, fc.nat(), async (value, cut) => {
        const text = JSON.stringify({ value });
        fc.pre(!text.includes("__proto__"));
        const { attempt } = await ask([{ terminal: text.slice(0, 1 + (cut % (text.length - 1))) }], {
          spec,
          attempts: 1,
        });
        expect(attempt.status).toBe("truncated");
      }),
      { numRuns: 4_000 },
    );
  }, 60_000);

  // case 78
  it("is truncated at the output limit even when the router says tool_calls, and even when what is left is whole", async () => {
    expect(await answer(open, '{"a":[1,2')).toMatchObject({ status: "truncated", limit: "unknown" });
    const spec = defineOutput<JsonValue>({ name: "report", description: "", schema: open });
    const limit = await ask([{ terminal: "{}", finish: "length" }], { spec });
    expect(limit.attempt).toMatchObject({ status: "truncated", limit: "output_tokens" });
    const text = await ask([{ text: '{"a":1', finish: "length" }], { spec, strategy: "native" });
    expect(text.attempt).toMatchObject({ status: "truncated", limit: "output_tokens" });
    const first = {
      calls: [
        { name: "$output", input: {} },
        { name: "later", input: "{" },
      ],
      finish: "length" as const,
    };
    expect((await ask([first], { spec })).attempt.status).toBe("accepted");
  });

  // case 82
  it("keeps own properties only and refuses duplicate and prototype keys", async () => {
    const schema = { type: "object", required: ["toString"] };
    expect((await answer(schema, "{}")).status).toBe("mismatch");
    expect((await answer(schema, '{"toString":1}')).status).toBe("accepted");
    for (const [text, keyword] of [
      ['{"a":1,"a":2}', "duplicate_key"],
      ['{"__proto__":{"admin":true}}', "prototype_key"],
      ['{"constructor":{"prototype":{"admin":true}}}', "prototype_key"],
    ] as const) {
      expect(await answer(open, text)).toMatchObject({
        status: "mismatch",
        at: "parse",
        issues: [{ keyword }],
      });
    }
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  // case 83
  it("is a mismatch where an integer lost digits and the schema asks for an integer", async () => {
    const schema = { type: "object", properties: { id: { type: "integer" }, any: { type: "number" } } };
    expect(await answer(schema, '{"id":9007199254740993}')).toMatchObject({
      issues: [{ pointer: "/id", keyword: "precision" }],
    });
    expect((await answer(schema, '{"any":9007199254740993}')).status).toBe("accepted");
    expect((await answer(schema, '{"id":9007199254740991}')).status).toBe("accepted");
    expect(await answer({ type: "integer" }, '{"value":9007199254740993}')).toMatchObject({
      issues: [{ pointer: "", keyword: "precision" }],
    });
  });

  // case 84
  it("is refused beyond its size and depth before anything is checked", async () => {
    const nested = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    expect(await answer(open, nested(64))).toMatchObject({ at: "parse", issues: [{ keyword: "too_deep" }] });
    expect((await answer(open, nested(63))).status).toBe("accepted");
    expect(await answer(open, JSON.stringify({ a: "x".repeat(1024 * 1024) }))).toMatchObject({
      issues: [{ keyword: "too_large" }],
    });
  });

  // case 84
  it("meets a hostile pattern without running away", async () => {
    const schema = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
    const text = JSON.stringify({ a: `${"a".repeat(28)}!` });
    expect(await answer(schema, text)).toMatchObject({
      status: "mismatch",
      issues: [{ keyword: "pattern" }],
    });
  });
});

describe("the two slips that are undone", () => {
  const noted = (attempt: OutputAttempt<JsonValue>) => attempt.attempts[0]?.notes;

  // case 80
  it("an answer, or a list or object in it, written as a JSON string where no string may stand", async () => {
    const value = { lines: [{ qty: 1 }] };
    const whole = await answer(lines, JSON.stringify(JSON.stringify(value)));
    expect(whole).toMatchObject({ status: "accepted", value, normalized: true });
    const nested = await answer(
      lines,
      JSON.stringify({ lines: JSON.stringify([JSON.stringify({ qty: 1 })]) }),
    );
    expect(nested).toMatchObject({ status: "accepted", value });
    expect(noted(nested)).toEqual([
      { kind: "double_encoded", pointer: "/lines" },
      { kind: "double_encoded", pointer: "/lines/0" },
    ]);
  });

  // case 80
  it("but not where it makes a key that reaches a prototype", async () => {
    const properties = { constructor: { type: "object" } };
    const attempt = await answer({ type: "object", properties }, '{"constructor":"{\\"prototype\\":{}}"}');
    expect(attempt).toMatchObject({ status: "mismatch", issues: [{ keyword: "prototype_key" }] });
  });

  it("but never where a string may stand, nor for numbers, nor for a string that is no strict JSON", async () => {
    const text = JSON.stringify({ lines: [], note: '{"a":1}' });
    expect(await answer(lines, text)).toMatchObject({
      status: "accepted",
      value: { note: '{"a":1}' },
      normalized: false,
    });
    const either = {
      type: "object",
      properties: { a: { anyOf: [{ type: "object" }, { type: "string", maxLength: 2 }] } },
    };
    expect((await answer(either, '{"a":"{\\"b\\":1}"}')).status).toBe("mismatch");
    const number = { type: "object", properties: { a: { type: "number" } } };
    expect((await answer(number, '{"a":"5"}')).status).toBe("mismatch");
    expect((await answer(lines, '{"lines":"[{\\"qty\\":1,\\"qty\\":2}]"}')).status).toBe("mismatch");
  });

  // case 81
  it("a single envelope key, only where it is undeclared and the inside fits better", async () => {
    const opened = await answer(lines, '{"output":{"lines":[]}}');
    expect(opened).toMatchObject({ status: "accepted", value: { lines: [] }, normalized: true });
    expect(noted(opened)).toEqual([{ kind: "envelope", pointer: "" }]);
    expect((await answer(lines, '{"report":{"lines":[]}}')).status).toBe("accepted");
    expect((await answer(lines, '{"answer":{"lines":[]}}')).status).toBe("mismatch");
    expect((await answer(lines, '{"output":{"lines":[]},"more":1}')).status).toBe("mismatch");
    const declared = { type: "object", properties: { output: { type: "string" } }, required: ["output"] };
    expect((await answer(declared, '{"output":{"output":"x"}}')).status).toBe("mismatch");
    expect(await answer(open, '{"output":{"a":1}}')).toMatchObject({
      value: { output: { a: 1 } },
      normalized: false,
    });
    const better = await answer(lines, '{"output":{"lines":[{}]}}');
    expect(better).toMatchObject({ status: "mismatch", issues: [{ pointer: "/lines/0" }] });
    const worse = '{"output":{"lines":[{},{},{}]}}';
    expect(await answer(lines, worse)).toMatchObject({ status: "mismatch", candidate: JSON.parse(worse) });
  });

  it("both at once, and in the wrapper of a non-object root", async () => {
    const both = await answer(lines, '{"output":"{\\"lines\\":[]}"}');
    expect(both).toMatchObject({ status: "accepted", value: { lines: [] } });
    const wrapped = await answer({ type: "array", items: { type: "integer" } }, '{"value":"[1,2]"}');
    expect(wrapped).toMatchObject({ status: "accepted", value: [1, 2], normalized: true });
    const outer = await answer({ type: "integer" }, '"{\\"value\\":5}"');
    expect(outer).toMatchObject({ status: "accepted", value: 5 });
  });
});
