import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCases } from "../../src/cli/case-file.ts";
import { parseUserDocument } from "../../src/cli/user-document.ts";
import { HookError } from "../../src/index.ts";
import { schemaFile } from "../json-schema-check.ts";

const path = "/w/cases.json";
const { isValid } = schemaFile("cases");
const read = (document: unknown) => readCases(parseUserDocument(path, JSON.stringify(document, null, 2)));

const refusal = (document: unknown): string => {
  try {
    read(document);
  } catch (error) {
    if (HookError.is(error) && error.code === "invalid_file") return error.message;
    throw error;
  }
  return "";
};

const call = { tool_name: "run", input: {} };
const post = { ...call, event: "post_tool_use", output: 1 };
const one = (facts: object) => ({
  schema: 1,
  cases: [{ name: "n", call, expect: { decision: "allow" }, ...facts }],
});

describe("readCases", () => {
  it("reads a case with everything in it", () => {
    const expect_ = { decision: "deny", reason: "no", asked: ["a"], not_asked: ["b"] };
    const [first] = read(
      one({ call: { ...call, agent_id: "child", depth: 1, hook_schema: 1 }, expect: expect_ }),
    );
    expect(first).toMatchObject({
      name: "n",
      question: { event: "pre_tool_use", call: { agentId: "child", depth: 1, inputJson: "{}" } },
      expect: { decision: "deny", reason: "no", asked: ["a"], notAsked: ["b"] },
    });
    const [after] = read(one({ call: post, expect: { output: 1, is_error: false } }));
    expect(after).toMatchObject({
      question: { result: { output: 1, isError: false } },
      expect: { isError: false },
    });
    expect(read({ $schema: "x", schema: 1, cases: [] })).toEqual([]);
  });

  it.each([
    [[], "a case file must be an object"],
    [{ cases: [] }, "a case file needs 'schema', which must be 1"],
    [{ schema: 2, cases: [] }, "'schema' must be 1"],
    [one({ expect: {} }), "'expect' must be an object that says at least one thing"],
    [one({ expect: { decison: "deny" } }), "did you mean 'decision'?"],
    [one({ expect: { decision: "replace" } }), "'replace' is no answer to pre_tool_use"],
    [one({ call: post, expect: { decision: "modify" } }), "'modify' is no answer to post_tool_use"],
    [one({ call: post, expect: { input: {} } }), "'input' cannot be expected of post_tool_use"],
    [one({ expect: { output: 1 } }), "'output' cannot be expected of pre_tool_use"],
    [one({ call: { input: {} } }), "a call needs 'tool_name'"],
    [one({ call: 7 }), "'call' must be an object"],
  ])("refuses %j", (document, says) => {
    expect(refusal(document)).toContain(says);
    expect(refusal(document)).toMatch(/^\/w\/cases\.json:\d+: /);
  });

  it("agrees with the published schema about every document", () => {
    const junk = fc.constantFrom<unknown>(1, "", "text", [], {}, null, true);
    const maybe = (...values: unknown[]) =>
      fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...values) }, junk);
    const calls = fc.record(
      {
        tool_name: maybe("run"),
        input: maybe({}, "text"),
        event: maybe("pre_tool_use", "post_tool_use"),
        output: maybe(1, null),
        is_error: maybe(true),
        depth: maybe(0, 1),
        workspace: maybe("/w"),
        extra: junk,
      },
      { requiredKeys: ["tool_name", "input"] },
    );
    const expectations = fc.record(
      {
        decision: maybe("allow", "modify", "replace"),
        reason: maybe("because"),
        input: maybe({ a: 1 }),
        output: maybe(1),
        is_error: maybe(false),
        asked: maybe(["a"], []),
      },
      { requiredKeys: [] },
    );
    const item = fc.record({ name: maybe("n"), call: calls, expect: expectations });
    const documents = fc.record({ schema: maybe(1), cases: fc.array(item, { maxLength: 2 }) });
    let accepted = 0;
    fc.assert(
      fc.property(documents, (document) => {
        const valid = isValid("file", document);
        if (valid) accepted += 1;
        expect(refusal(document) === "").toBe(valid);
      }),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});
