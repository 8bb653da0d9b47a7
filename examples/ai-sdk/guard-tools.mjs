import assert from "node:assert/strict";
import { createHookChain } from "@basis/hooks";
import { guardTools } from "@basis/hooks/ai-sdk";
import { tool } from "ai"; // 6 or 7
import { z } from "zod";

const inputSchema = z.object({ path: z.string() });
const read = tool({ description: "Reads.", inputSchema, execute: async ({ path }) => `content of ${path}` });
const hooks = createHookChain({
  workspace: "/repo",
  participants: [
    {
      name: "no-secrets",
      intercept: ({ input }) =>
        JSON.stringify(input).includes(".env")
          ? { decision: "deny", reason: "secrets stay here" }
          : { decision: "allow" },
    },
  ],
});

const tools = guardTools({ read }, hooks, { agentId: "main" }); // generateText({ model, prompt, tools })
const call = { toolCallId: "1", messages: [], context: {} }; // as the framework makes it
const denied = async () => tools.read.execute?.({ path: "prod.env" }, call);
await assert.rejects(denied, { message: "denied by interceptor 'no-secrets': secrets stay here" });
