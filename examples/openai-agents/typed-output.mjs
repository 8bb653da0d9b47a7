import assert from "node:assert/strict";
import { createHookChain } from "@basis/hooks";
import { guardTools } from "@basis/hooks/openai-agents";
import { defineOutput, runOutput } from "@basis/typed-output";
import { interpretingValidator } from "@basis/typed-output/interpreter";
import { openAiAgentsRunner } from "@basis/typed-output/openai-agents";
import { RunContext, tool, Usage } from "@openai/agents"; // 0.20
import { z } from "zod";

// The host's tools, guarded; the runner runs them as they are.
const intercept = ({ input }) =>
  input.path.endsWith(".env") ? { decision: "deny", reason: "secrets stay here" } : { decision: "allow" };
const hooks = createHookChain({ workspace: "/repo", participants: [{ name: "no-secrets", intercept }] });
const execute = async ({ path }) => `content of ${path}`;
const parameters = z.object({ path: z.string() });
const read = tool({ name: "read", description: "Reads a file.", parameters, execute });
const tools = guardTools([read], hooks, { agentId: "main", validator: interpretingValidator() });

// A model that reads two files, answers wrongly, and then rightly: await new OpenAIProvider().getModel("gpt-…").
const call = (name, input, callId) => ({
  type: "function_call",
  status: "completed",
  callId,
  name,
  arguments: JSON.stringify(input),
});
const rounds = [
  () => [call("read", { path: "a.txt" }, "c1"), call("read", { path: "prod.env" }, "c2")],
  (answer) => [call(answer, { verdict: "perhaps" }, "c3")],
  (answer) => [call(answer, { verdict: "fine" }, "c4")],
];
const usage = new Usage({ inputTokens: 10, outputTokens: 5 });
const getResponse = async ({ tools: offered }) => ({ usage, output: rounds.shift()(offered.at(-1).name) });

const verdict = z.object({ verdict: z.enum(["fine", "broken"]).describe("Whether the build is fine.") });
const spec = defineOutput({ name: "verdict", description: "The verdict.", schema: verdict }).withTools();
const items = [];
const runner = openAiAgentsRunner({
  model: { getResponse },
  modelId: "scripted",
  tools,
  runContext: new RunContext(),
  instructions: "You judge builds.",
  onItem: (item) => items.push(item),
});

const attempt = await runOutput(runner, spec, "Is the build fine?");
assert.equal(attempt.status, "accepted");
assert.deepEqual(attempt.value, { verdict: "fine" });
assert.equal(attempt.attempts.length, 2); // the first was fed back: not one of the allowed values
assert.equal(attempt.report.usage.inputTokens, 30);
const results = items.filter(({ type }) => type === "function_call_result").map(({ output }) => output.text);
assert.equal(results[0], "content of a.txt");
assert.equal(results[1], "denied by interceptor 'no-secrets': secrets stay here");
