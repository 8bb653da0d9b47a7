import { jsonSchema, tool } from "ai";
import { own } from "../../harness/places.mjs";
import { callOf, guardsOf } from "./guards.mjs";

/** A tool of the AI SDK, called as the framework calls it: as it is, or with the chain around it. */
export async function open(variant) {
  const input = JSON.parse(callOf(variant).inputJson);
  const validate = (value) => ({ success: true, value });
  const bare = tool({
    inputSchema: jsonSchema({ type: "object" }, { validate }),
    execute: async () => "read",
  });
  const { read } = variant.bare === true ? { read: bare } : await guarded({ read: bare }, variant);
  const options = { toolCallId: "call-1", messages: [] };
  if ((await read.execute(input, options)) !== "read") throw new Error("was not allowed");
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) await read.execute(input, options);
    },
  };
}

async function guarded(tools, variant) {
  const { createHookChain } = await own("packages/hooks/dist/index.js");
  const { guardTools } = await own("packages/hooks/dist/ai-sdk/index.js");
  const chain = createHookChain({ workspace: "/w", participants: guardsOf(variant) });
  return guardTools(tools, chain, { agentId: "main" });
}
