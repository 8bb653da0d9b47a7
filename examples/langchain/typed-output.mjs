import assert from "node:assert/strict";
import { createHookChain } from "@basis/hooks";
import { guardTools } from "@basis/hooks/langchain";
import { defineOutput, runOutput } from "@basis/typed-output";
import { langchainRunner } from "@basis/typed-output/langchain";
import * as langchain from "langchain";
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
const test = langchain.tool(async () => "ok", { name: "test", description: "Tests.", schema: z.object({}) });
const tools = guardTools([test], hooks, { agentId: "main", langchain });

// A model that calls a tool, answers wrongly, and then answers: by the last tool that it is offered.
const rounds = [
  ["test", {}],
  ["answer", { verdict: "maybe", reason: "?" }],
  ["answer", { verdict: "reject", reason: "It was not tested." }],
];
const bound = [];
const bindTools = (offered) => {
  const [name, args] = rounds.shift();
  const called = name === "answer" ? offered.at(-1).function.name : name;
  bound.push(langchain.fakeModel().respondWithTools([{ name: called, args }]));
  return bound.at(-1);
};
const model = { modelName: "scripted", bindTools, invoke: async () => new langchain.AIMessage("") };

const runner = langchainRunner({ model, tools });
const answer = await runOutput(runner, output, "Judge the change.");
assert.equal(answer.status, "accepted");
assert.equal(answer.value.verdict, "reject");
assert.equal(answer.attempts.length, 2);
const read = bound[1].calls[0].messages.at(-1);
assert.equal(read.content, "denied by interceptor 'no-tests': closed");
