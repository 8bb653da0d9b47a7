import assert from "node:assert/strict";
import { memoryStore } from "@mobkit/session";
import { openSession } from "@mobkit/session/openai-agents";
import { openAiAgentsShape } from "@mobkit/session/shapes";
import { Agent, Runner, tool, Usage } from "@openai/agents"; // 0.20
import { z } from "zod";

const store = memoryStore({ shape: openAiAgentsShape }); // or one of @mobkit/session-sqlite or @mobkit/session-postgres
const { id } = await store.createSession({ member: "helper", role: "general" });

const execute = async () => "1.2.3";
const read = tool({ name: "read", description: "Reads.", parameters: z.object({}), execute });
const call = { type: "function_call", status: "completed", callId: "c1", name: "read", arguments: "{}" };
const says = (text) => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text }],
});

async function ask(prompt, ...replies) {
  const asked = [];
  const getResponse = async ({ input }) => ({
    usage: new Usage(),
    output: [replies[asked.push(input) - 1]],
  });
  const agent = new Agent({ name: "helper", model: { getResponse }, tools: [read] });
  const session = await openSession(store, id, { owner: "example" }); // nobody else writes meanwhile
  try {
    const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, prompt, { session });
    return { finalOutput, asked };
  } finally {
    await session.close();
  }
}

assert.equal((await ask("Which version is it?", call, says("1.2.3"))).finalOutput, "1.2.3");
const { asked } = await ask("Are you sure?", says("Yes."));
assert.deepEqual(
  asked[0].map(({ role, type }) => role ?? type),
  ["user", "function_call", "function_call_result", "assistant", "user"],
);

const session = await openSession(store, id, { owner: "example" });
assert.equal((await session.popItem()).content[0].text, "Yes."); // rolled back in the store
await session.close();
assert.equal((await store.head(id)).len, 5);
