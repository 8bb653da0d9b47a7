import assert from "node:assert/strict";
import { createHookChain } from "@basis/hooks";
import { guardTools } from "@basis/hooks/ai-sdk";
import { defineOutput, runOutput } from "@basis/typed-output";
import { aiSdkRunner } from "@basis/typed-output/ai-sdk";
import { tool } from "ai"; // 6 or 7
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";

// The host's tools, guarded; the runner runs them as they are.
const intercept = ({ input }) =>
  input.path.endsWith(".env") ? { decision: "deny", reason: "secrets stay here" } : { decision: "allow" };
const hooks = createHookChain({ workspace: "/repo", participants: [{ name: "no-secrets", intercept }] });
const execute = async ({ path }) => `content of ${path}`;
const read = tool({ description: "Reads a file.", inputSchema: z.object({ path: z.string() }), execute });
const tools = guardTools({ read }, hooks, { agentId: "main" });

// A model that reads two files, answers wrongly, and then rightly.
const call = (toolName, input, toolCallId) => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});
const rounds = [
  () => [call("read", { path: "a.txt" }, "c1"), call("read", { path: "prod.env" }, "c2")],
  (answer) => [call(answer, { verdict: "perhaps" }, "c3")],
  (answer) => [call(answer, { verdict: "fine" }, "c4")],
];
const doGenerate = async ({ tools: offered }) => ({
  content: rounds.shift()(offered.at(-1).name),
  finishReason: { unified: "tool-calls" },
  usage: { inputTokens: { total: 10 }, outputTokens: { total: 5 } },
  warnings: [],
});
const model = new MockLanguageModelV3({ doGenerate }); // openai("…"), anthropic("…") …

const verdict = z.object({ verdict: z.enum(["fine", "broken"]).describe("Whether the build is fine.") });
const spec = defineOutput({ name: "verdict", description: "The verdict.", schema: verdict }).withTools();
const rows = [];
const runner = aiSdkRunner({ model, tools, system: "You judge builds.", onMessage: (row) => rows.push(row) });

const attempt = await runOutput(runner, spec, "Is the build fine?");
assert.equal(attempt.status, "accepted");
assert.deepEqual(attempt.value, { verdict: "fine" });
assert.equal(attempt.attempts.length, 2); // the first was fed back: not one of the allowed values
assert.equal(attempt.report.usage.inputTokens, 30);
const results = rows.filter(({ role }) => role === "tool").map(({ content }) => content[0].output.value);
assert.equal(results[1], "denied by interceptor 'no-secrets': secrets stay here");
