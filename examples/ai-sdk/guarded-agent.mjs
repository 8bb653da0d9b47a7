import assert from "node:assert/strict";
import { createHookChain } from "@basis/hooks";
import { guardTools } from "@basis/hooks/ai-sdk";
import { interpretingValidator } from "@basis/typed-output/interpreter";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";

// One chain for the agent and for the agents that it starts.
const hooks = createHookChain({
  workspace: "/repo",
  participants: [
    {
      name: "read-only",
      tools: ["run"],
      intercept: ({ input }) =>
        input.argv[0] === "git" ? { decision: "allow" } : { decision: "deny", reason: "git alone" },
    },
    {
      name: "no-keys",
      events: ["post_tool_use"],
      intercept: ({ output }) =>
        output.includes("sk-")
          ? { decision: "replace", output: "(a key stood here)" }
          : { decision: "allow" },
    },
  ],
});

const argv = { type: "array", items: { type: "string" }, minItems: 1 };
const run = tool({
  description: "Runs a program.",
  inputSchema: jsonSchema({ type: "object", properties: { argv }, required: ["argv"] }), // unchecked by the framework
  execute: async ({ argv: [name, task] }) => (task === "config" ? "token = sk-123" : `ran ${name} ${task}`),
});
const tools = guardTools({ run }, hooks, { agentId: "main", validator: interpretingValidator() });

// A model that asks for four calls at once and then stops.
const words = [["git", "status"], ["rm"], ["git", "config"], ["git", 7]];
const part = (argv, n) => {
  const input = JSON.stringify({ argv });
  return { type: "tool-call", toolCallId: `c${n}`, toolName: "run", input };
};
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const replies = [
  { content: words.map(part), finishReason: { unified: "tool-calls" }, usage, warnings: [] },
  { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop" }, usage, warnings: [] },
];
const model = new MockLanguageModelV3({ doGenerate: replies });

const { text } = await generateText({ model, tools, prompt: "Look around.", stopWhen: stepCountIs(3) });
const shown = model.doGenerateCalls[1].prompt.at(-1).content.map(({ output }) => output.value);
assert.deepEqual(shown, [
  "ran git status",
  "denied by interceptor 'read-only': git alone",
  "(a key stood here)",
  "Invalid input for 'run': /argv/1: expected string",
]);
assert.equal(text, "done");
