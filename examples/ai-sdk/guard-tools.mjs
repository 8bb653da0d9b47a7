import assert from "node:assert/strict";
import { createHookChain } from "@basis/hooks";
import { guardTools } from "@basis/hooks/ai-sdk";
import { tool } from "ai"; // 6 or 7
import { z } from "zod";

const execute = async ({ path }) => `content of ${path}`;
const read = tool({ description: "Reads a file.", inputSchema: z.object({ path: z.string() }), execute });
const deny = { decision: "deny", reason: "secrets stay here" };
const intercept = ({ input }) => (input.path.endsWith(".env") ? deny : { decision: "allow" });
const hooks = createHookChain({ workspace: "/repo", participants: [{ name: "no-secrets", intercept }] });

const tools = guardTools({ read }, hooks, { agentId: "main" }); // generateText({ model, prompt, tools })
const denied = tools.read.execute({ path: "prod.env" }, { toolCallId: "1", messages: [] });
await assert.rejects(denied, { message: "denied by interceptor 'no-secrets': secrets stay here" });
