import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromCall, fromResult, withInput, withOutput } from "../src/hook-request.ts";
import { sampleCall } from "../src/testing/index.ts";
import { encodeRequest } from "../src/wire.ts";

const options = { workspace: "/work" };
const pre = (inputJson: string) => fromCall("pre_tool_use", sampleCall({ inputJson }), options);
const post = (inputJson: string, output: string | object, isError = false) =>
  fromResult(sampleCall({ inputJson }), { output: output as never, isError }, options);
const wire = (request: Parameters<typeof encodeRequest>[0]) => JSON.parse(encodeRequest(request));

describe("a request before the call", () => {
  it("has exactly the seven keys, in order", () => {
    // H1
    expect(Object.keys(wire(pre("{}")))).toEqual([
      "hook_schema",
      "event",
      "workspace",
      "agent_id",
      "tool_call_id",
      "tool_name",
      "input",
    ]);
  });

  it("names version 1 of its schema", () => {
    // H2
    expect(wire(pre("{}")).hook_schema).toBe(1);
  });

  it("has no output and no error flag, not even null", () => {
    // H3
    const request = pre("{}");
    expect("output" in request || "isError" in request).toBe(false);
    expect("output" in wire(request) || "is_error" in wire(request)).toBe(false);
  });

  it("takes the host's context after its own keys, and only what was given", () => {
    const call = sampleCall({ parentAgentId: "root", depth: 1, toolSource: "mcp:files", effect: "write" });
    const request = fromCall("pre_tool_use", call, options);
    expect(Object.entries(wire(request)).slice(7)).toEqual([
      ["parent_agent_id", "root"],
      ["depth", 1],
      ["tool_source", "mcp:files"],
      ["effect", "write"],
    ]);
    const partial = fromCall("pre_tool_use", sampleCall({ depth: 0 }), options);
    expect(Object.entries(wire(partial)).slice(7)).toEqual([["depth", 0]]);
    expect(partial.hookSchema).toBe(1);
  });

  it("puts the context after the result's keys on post", () => {
    const request = fromResult(sampleCall({ depth: 2 }), { output: "x", isError: false }, options);
    expect(Object.keys(wire(request)).slice(6)).toEqual(["input", "output", "is_error", "depth"]);
  });
});

describe("a request's input", () => {
  it("is parsed when the text is JSON, and the text itself when it is not", () => {
    // H5
    expect(pre('{"command":"ls"}').input).toEqual({ command: "ls" });
    expect(pre("[1,2]").input).toEqual([1, 2]);
    expect(pre("rm -rf /").input).toBe("rm -rf /");
    expect(pre("").input).toBe("");
  });

  it("stays text when keys stand twice, since two readers could disagree about them", () => {
    const text = '{"command":"ls","command":"rm"}';
    expect(pre(text).input).toBe(text);
    expect(pre('{"__proto__":{}}').input).toBe('{"__proto__":{}}');
  });

  it("is what JSON.parse reads, for every document", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!/"__proto__"|"prototype"/.test(text));
        expect(pre(text).input).toEqual(JSON.parse(text));
        expect(wire(pre(text)).input).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe("a request after the call", () => {
  it("has both the output and the error flag", () => {
    // H4
    expect(wire(post("{}", "done", true))).toMatchObject({
      event: "post_tool_use",
      output: "done",
      is_error: true,
    });
  });

  it("holds the input that ran", () => {
    // H6
    expect(post('{"command":"ls -a"}', "").input).toEqual({ command: "ls -a" });
  });

  it("keeps a text that looks like JSON a string, and passes a structured result as itself", () => {
    // H7
    expect(wire(post("{}", '{"a":1}')).output).toBe('{"a":1}');
    expect(wire(post("{}", { a: 1 })).output).toEqual({ a: 1 });
  });

  it("copies the host's result, which stays changeable", () => {
    const output = { rows: [1] };
    const request = post("{}", output);
    output.rows.push(2);
    expect(request.output).toEqual({ rows: [1] });
  });
});

describe("copies of a request", () => {
  it("leave the original untouched", () => {
    // H8
    const request = post('{"a":1}', "old");
    const before = encodeRequest(request);
    const changed = withOutput(withInput(request, { a: 2 }) as never, "new", true);
    expect(wire(changed)).toMatchObject({ input: { a: 2 }, output: "new", is_error: true });
    expect(encodeRequest(request)).toBe(before);
    expect(Object.keys(wire(changed))).toEqual(Object.keys(JSON.parse(before)));
  });

  it("are frozen all the way down, as the original is", () => {
    const given = { list: [{ deep: 1 }] };
    for (const request of [pre('{"list":[{"deep":1}]}'), withInput(pre("{}"), given)]) {
      const input = request.input as { list: { deep: number }[] };
      expect([request, input, input.list, input.list[0]].every(Object.isFrozen)).toBe(true);
    }
    expect(Object.isFrozen(given)).toBe(false);
  });
});
