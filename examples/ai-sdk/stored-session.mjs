import assert from "node:assert/strict";
import { memoryStore } from "@mobkit/session";
import { openTurn } from "@mobkit/session/ai-sdk";
import { generateText, stepCountIs, tool } from "ai"; // 6 or 7
import { z } from "zod";
import { scripted } from "./model/scripted.mjs"; // a mock of ai/test

const store = memoryStore(); // or a store of @mobkit/session-sqlite or @mobkit/session-postgres
const { id } = await store.createSession({ member: "helper", role: "general" });
const read = tool({ inputSchema: z.object({}), execute: async () => "1.2.3" });

async function ask(prompt, model) {
  const turn = await openTurn(store, id, { owner: "example", prompt }); // the prompt is committed
  try {
    const { messages } = turn;
    const result = await generateText({ model, messages, tools: { read }, stopWhen: stepCountIs(3) });
    await turn.save(result); // and now everything the run added
    return result.text;
  } finally {
    await turn.close();
  }
}

assert.equal(
  await ask("Which version is it?", scripted({ toolName: "read", input: "{}" }, "1.2.3")),
  "1.2.3",
);
const model = scripted("Yes.");
assert.equal(await ask("Are you sure?", model), "Yes.");
const roles = model.doGenerateCalls[0].prompt.map(({ role }) => role);
assert.deepEqual(roles, ["user", "assistant", "tool", "assistant", "user"]);
assert.equal((await store.head(id)).len, 6);
