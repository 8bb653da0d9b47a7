import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { createHookChain } from "@basis/hooks";
import { answerToolUses, guardTools } from "@basis/hooks/anthropic";
import { interpretingValidator } from "@basis/typed-output/interpreter";

const hooks = createHookChain({
  workspace: "/repo",
  participants: [
    {
      name: "read-only",
      tools: ["run"],
      intercept: ({ input }) =>
        input.argv[0] === "git" ? { decision: "allow" } : { decision: "deny", reason: "git alone" },
    },
  ],
});

const argv = { type: "array", items: { type: "string" }, minItems: 1 };
const run = betaTool({
  name: "run",
  description: "Runs a program.",
  inputSchema: { type: "object", properties: { argv }, required: ["argv"] }, // unchecked by the SDK
  run: async ({ argv: [name, task] }) => `ran ${name} ${task}`,
});
const tools = guardTools([run], hooks, { agentId: "main", validator: interpretingValidator() });

// A model that asks for three calls at once and then stops.
const words = [["git", "status"], ["rm"], ["git", 7]];
const uses = words.map((argv, n) => ({ type: "tool_use", id: `c${n}`, name: "run", input: { argv } }));
const replies = [uses, [{ type: "text", text: "done" }]];
const fetch = async () => Response.json({ role: "assistant", content: replies.shift() });
const client = new Anthropic({ apiKey: "none", fetch });

const messages = [{ role: "user", content: "Look around." }];
const definitions = [{ name: run.name, description: run.description, input_schema: run.input_schema }];
let reply;
let results;
do {
  reply = await client.messages.create({ model: "m", max_tokens: 100, messages, tools: definitions });
  results = await answerToolUses(reply, tools);
  messages.push({ role: "assistant", content: reply.content }, { role: "user", content: results });
} while (results.length > 0); // `client.beta.messages.toolRunner({ …, tools })` is such a loop

assert.deepEqual(
  messages[2].content.map(({ content }) => content),
  [
    "ran git status",
    "denied by interceptor 'read-only': git alone",
    "Invalid input for 'run': /argv/1: expected string",
  ],
);
assert.equal(reply.content[0].text, "done");
