import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromCall, fromResult } from "../src/hook-request.ts";
import { sampleCall } from "../src/testing/index.ts";
import { decodeAnswer, encodeRequest } from "../src/wire.ts";
import { schemaFile } from "./json-schema-check.ts";

const document = schemaFile("wire");
const { isValid } = document;
const context = { parentAgentId: "root", depth: 1, toolSource: "builtin", effect: "command" } as const;
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
