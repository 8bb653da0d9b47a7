import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HookAnswer } from "../src/hook-decision.ts";
import { fromCall } from "../src/hook-request.ts";
import { sampleCall } from "../src/testing/index.ts";
import { decodeAnswer, encodeAnswer, encodeRequest } from "../src/wire.ts";

const answer = (text: string) => {
  const decoded = decodeAnswer(text);
  if (!decoded.ok) throw new Error(decoded.problem);
  return decoded.answer;
};
const problem = (text: string) => {
  const decoded = decodeAnswer(text);
  return decoded.ok ? "none" : decoded.problem;
};

describe("decodeAnswer", () => {
  it("takes an allow with unknown fields for an allow", () => {
    // H9
    expect(answer('{"decision":"allow","note":{"by":"x"},"version":9}')).toEqual({ decision: "allow" });
  });

  it("takes a deny without a reason", () => {
    // H10
    expect(answer('{"decision":"deny"}')).toEqual({ decision: "deny" });
    expect(answer('{"decision":"deny","reason":"no"}')).toEqual({ decision: "deny", reason: "no" });
  });

  it("keeps a denial whose reason is no text", () => {
    expect(answer('{"decision":"deny","reason":null}')).toEqual({ decision: "deny" });
    expect(answer('{"decision":"deny","reason":[1]}')).toEqual({ decision: "deny" });
  });

  it("refuses a modify without input", () => {
    // H11
    expect(problem('{"decision":"modify"}')).toBe("modify needs a JSON object as its input");
    expect(answer('{"decision":"modify","input":{}}')).toEqual({ decision: "modify", input: {} });
  });

  it.each(["null", "[]", '"text"', "1"])("refuses a modify whose input is %s", (input) => {
    // H12
    expect(problem(`{"decision":"modify","input":${input}}`)).toBe("modify needs a JSON object as its input");
  });

  it("refuses a replace without output, and takes any JSON as one", () => {
    // H13
    expect(problem('{"decision":"replace"}')).toBe("replace needs an output");
    for (const output of ["null", "[1]", '"t"', "0", "{}"]) {
      expect(answer(`{"decision":"replace","output":${output}}`)).toEqual({
        decision: "replace",
        output: JSON.parse(output),
      });
    }
  });

  it("leaves the flag out when is_error is left out, and refuses one that is no boolean", () => {
    // H14, the chain's side is tested with the chain
    expect(answer('{"decision":"replace","output":1}')).not.toHaveProperty("isError");
    expect(answer('{"decision":"replace","output":1,"is_error":true}')).toHaveProperty("isError", true);
    expect(problem('{"decision":"replace","output":1,"is_error":"no"}')).toBe("is_error is not a boolean");
    expect(answer('{"decision":"replace","output":1,"isError":true}')).not.toHaveProperty("isError");
  });

  it.each([
    '{"decision":"maybe"}',
    '{"decision":"Allow"}',
    '{"decision":"toString"}',
    '{"decision":true}',
    '{"reason":"ok"}',
    "{}",
    "null",
    '"allow"',
    "allow",
    "[]",
    '[{"decision":"allow"}]',
  ])("refuses %s", (text) => {
    // H15
    expect(decodeAnswer(text).ok).toBe(false);
  });

  it.each([
    '{"decision":"allow"} done',
    '{"decision":"allow"}{"decision":"deny"}',
    '{"decision":"allow"}\n{"decision":"allow"}',
    'note\n{"decision":"allow"}',
    '{"decision":"deny","decision":"allow"}',
  ])("refuses text around the answer, a second document or a second decision: %s", (text) => {
    // H16
    expect(decodeAnswer(text).ok).toBe(false);
    expect(decodeAnswer('\n {"decision":"allow"} \r\n').ok).toBe(true);
  });

  it("reads back every answer that encodeAnswer writes", () => {
    // H17
    const json = fc.jsonValue().filter((value) => !/"__proto__"|"prototype"/.test(JSON.stringify(value)));
    const reason = fc.option(fc.string(), { nil: undefined });
    const answers = fc.oneof(
      fc.record({ decision: fc.constant("allow"), reason }),
      fc.record({ decision: fc.constant("deny"), reason }),
      fc.record({ decision: fc.constant("modify"), input: fc.dictionary(fc.string(), json), reason }),
      fc.record({
        decision: fc.constant("replace"),
        output: json,
        isError: fc.option(fc.boolean(), { nil: undefined }),
        reason,
      }),
    );
    fc.assert(
      fc.property(answers, (given) => {
        const text = encodeAnswer(given as HookAnswer);
        fc.pre(!/"__proto__"|"prototype"/.test(text));
        expect(encodeAnswer(answer(text))).toBe(text);
      }),
    );
  });

  it("never throws, whatever the text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(decodeAnswer(text).ok).toBeTypeOf("boolean");
      }),
    );
  });
});

describe("encodeRequest", () => {
  it("writes one line, once for everybody who is asked with it", () => {
    const request = fromCall("pre_tool_use", sampleCall({ inputJson: '{"t":"a\\nb"}' }), { workspace: "/w" });
    const text = encodeRequest(request);
    expect(text).not.toContain("\n");
    expect(encodeRequest(request)).toBe(text);
  });
});
