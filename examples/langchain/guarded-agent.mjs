import assert from "node:assert/strict";
import { createHookChain } from "@basis/hooks";
import { guardMiddleware } from "@basis/hooks/langchain";
import * as langchain from "langchain";
import { z } from "zod";

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

const run = langchain.tool(
  ({ argv: [name, task] }) => {
    if (task === "push") throw new Error("no network");
    return task === "config" ? "token = sk-123" : `ran ${name} ${task}`;
  },
  { name: "run", description: "Runs a program.", schema: z.object({ argv: z.array(z.string()) }) },
);

// A model that asks for five calls at once and then stops.
const words = [["git", "status"], ["rm"], ["git", "config"], ["git", 7], ["git", "push"]];
const model = langchain.fakeModel();
model.respondWithTools(words.map((argv, n) => ({ name: "run", args: { argv }, id: `c${n}` })));
model.respond(new langchain.AIMessage("done"));

const middleware = [guardMiddleware(langchain, hooks, { agentId: "main" })]; // the last one, after any other
const agent = langchain.createAgent({ model, tools: [run], middleware });
const { messages } = await agent.invoke({ messages: [{ role: "user", content: "Look around." }] });

const shown = messages.filter((message) => message.type === "tool").map(({ text }) => text.split("\n")[0]);
assert.deepEqual(shown, [
  "ran git status",
  "denied by interceptor 'read-only': git alone",
  "(a key stood here)",
  "Invalid input for 'run': Invalid input: expected string, received number",
  "Error: no network",
]);
assert.equal(messages.at(-1).text, "done");
