import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { createHookChain } from "@basis/hooks";
import { guardTools } from "@basis/hooks/anthropic";
import { defineOutput, runOutput } from "@basis/typed-output";
import { anthropicRunner } from "@basis/typed-output/anthropic";
import { interpretingValidator } from "@basis/typed-output/interpreter";
import { z } from "zod";

const output = defineOutput({
  name: "verdict",
  description: "The verdict about the change.",
  schema: z.object({ verdict: z.enum(["accept", "reject"]), reason: z.string() }),
}).withTools();

const hooks = createHookChain({
  workspace: "/repo",
  participants: [
    { name: "no-tests", tools: ["test"], intercept: () => ({ decision: "deny", reason: "closed" }) },
  ],
});
const test = betaZodTool({ name: "test", description: "Tests.", inputSchema: z.object({}), run: () => "ok" });
const tools = guardTools([test], hooks, { agentId: "main", validator: interpretingValidator() });

// A provider whose model calls a tool, answers wrongly, and then answers: by the last tool that it is offered.
const rounds = [
  ["test", {}],
  ["answer", { verdict: "maybe", reason: "?" }],
  ["answer", { verdict: "reject", reason: "It was not tested." }],
];
const requests = [];
const fetch = async (_url, { body }) => {
  const request = JSON.parse(body);
  const [name, input] = rounds[requests.push(request) - 1];
  const use = { type: "tool_use", id: `t${requests.length}`, input: {} };
  const content_block = { ...use, name: name === "answer" ? request.tools.at(-1).name : name };
  const delta = { type: "input_json_delta", partial_json: JSON.stringify(input) };
  const events = [
    { type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block },
    { type: "content_block_delta", index: 0, delta },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 5 } },
  ];
  const lines = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
};
const client = new Anthropic({ apiKey: "none", fetch });

const runner = anthropicRunner({ client, model: "claude-sonnet-5-5", maxTokens: 1000, tools });
const answer = await runOutput(runner, output, "Judge the change.");
assert.equal(answer.status, "accepted");
assert.equal(answer.value.verdict, "reject");
assert.equal(answer.attempts.length, 2);
const [denied] = requests[1].messages.at(-1).content;
assert.equal(denied.content, "denied by interceptor 'no-tests': closed");
