import { describe, expect, it } from "vitest";
import { askQuestion } from "../../src/cli/ask-question.ts";
import { readCall } from "../../src/cli/call-question.ts";
import { explain, type Explanation } from "../../src/cli/explanation.ts";
import { judgeCase } from "../../src/cli/judge-case.ts";
import { parseUserDocument } from "../../src/cli/user-document.ts";
import { createHookChain } from "../../src/index.ts";
import { scriptedHook } from "../../src/testing/index.ts";
import { listedHook } from "./support/listed-hook.ts";

const { signal } = new AbortController();

async function explained(call: object, ...answers: readonly object[]): Promise<Explanation> {
  const document = parseUserDocument("call.json", JSON.stringify({ tool_name: "run", ...call }));
  const question = readCall(document, document.value, "");
  const events = [question.event];
  const participants = answers.map((answer, index) => ({
    ...scriptedHook(`h${index}`, [answer as never]),
    rank: "workspace" as const,
    events,
  }));
  const chain = createHookChain({ workspace: "/w", participants, report: () => undefined });
  const hooks = answers.map((_, index) => listedHook({ name: `h${index}`, event: question.event }));
  return explain(question, await askQuestion(chain, question, signal), hooks);
}

const allow = { decision: "allow" };

describe("judgeCase", () => {
  it("finds nothing in an answer that is as expected", async () => {
    const denied = await explained({ input: {} }, allow, { decision: "deny", reason: "too late" }, allow);
    expect(
      judgeCase({ decision: "deny", reason: "late", asked: ["h0", "h1"], notAsked: ["h2"] }, denied),
    ).toEqual([]);
    const changed = await explained({ input: { a: 1 } }, { decision: "modify", input: { b: 1, a: 2 } });
    expect(judgeCase({ decision: "modify", input: { a: 2, b: 1 } }, changed)).toEqual([]);
    const post = { input: {}, event: "post_tool_use", output: "raw" };
    const replaced = await explained(post, { decision: "replace", output: "clean", isError: true });
    expect(judgeCase({ output: "clean", isError: true }, replaced)).toEqual([]);
    expect(
      judgeCase({ decision: "allow", output: "raw", isError: false }, await explained(post, allow)),
    ).toEqual([]);
  });

  it("names each thing that differs", async () => {
    const denied = await explained({ input: {} }, { decision: "deny" });
    expect(
      judgeCase({ decision: "allow", reason: "x", input: {}, asked: ["h1"], notAsked: ["h0"] }, denied),
    ).toEqual([
      'decision: expected "allow", got "deny"',
      "reason: expected it to hold 'x', got 'denied by hook 'h0''",
      "input: expected {}, got none",
      "hook 'h1' was not asked; asked: 'h0'",
      "hook 'h0' was asked and should not be",
    ]);
    const allowed = await explained({ input: { a: 1 } }, allow, allow);
    expect(judgeCase({ input: { a: 2 }, reason: "x", asked: ["h1", "h0"] }, allowed)).toEqual([
      "reason: expected it to hold 'x', got none",
      'input: expected {"a":2}, got {"a":1}',
      "hook 'h0' was asked too early; asked: 'h0', 'h1'",
    ]);
  });

  it("shows what a post denial puts in place of the result", async () => {
    const post = { input: {}, event: "post_tool_use", output: "raw" };
    const denied = await explained(post, { decision: "deny", reason: "secret" });
    expect(judgeCase({ output: "denied by hook 'h0': secret", isError: true }, denied)).toEqual([]);
    expect(denied.modelReads).toEqual({ kind: "error", text: "denied by hook 'h0': secret" });
  });
});
