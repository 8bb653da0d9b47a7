import assert from "node:assert/strict";
import { createHookChain } from "@basis/hooks";
import { guardMcpClient } from "@basis/hooks/mcp";
import { defineOutput } from "@basis/typed-output";
import { interpretingValidator } from "@basis/typed-output/interpreter";
import { specOfTool, toolOutput } from "@basis/typed-output/mcp";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

// A server with a tool that says what it answers, and an older one that writes JSON as text.
const server = new McpServer({ name: "weather", version: "1.0.0" });
const city = z.string();
server.registerTool("today", { inputSchema: { city }, outputSchema: { celsius: z.number() } }, async () => ({
  content: [],
  structuredContent: { celsius: 21.5 },
}));
server.registerTool("tomorrow", { inputSchema: { city } }, async (input) => {
  const text = input.city === "Bonn" ? '{"celsius": 19}' : "Nobody knows.";
  return { content: [{ type: "text", text }] };
});
const client = new Client({ name: "host", version: "1.0.0" });
const [here, there] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(there), client.connect(here)]);

// Guarded calls do as well.
const onMars = { decision: "deny", reason: "too far" };
const intercept = ({ input }) => (input.city === "Mars" ? onMars : { decision: "allow" });
const hooks = createHookChain({ workspace: "/repo", participants: [{ name: "near", intercept }] });
const validator = interpretingValidator();
const guarded = guardMcpClient(client, hooks, { agentId: "main", server: "weather", validator });
const ask = (name, city) => guarded.callTool({ name, arguments: { city } });

const { tools } = await guarded.listTools();
const today = await toolOutput(ask("today", "Bonn"), specOfTool(tools[0]));
assert.equal(today.status, "accepted");
assert.equal(today.value.celsius, 21.5);

const forecast = defineOutput({
  name: "forecast",
  description: "Tomorrow's weather.",
  schema: z.object({ celsius: z.number() }),
});
const tomorrow = await toolOutput(ask("tomorrow", "Bonn"), forecast);
assert.deepEqual([tomorrow.status, tomorrow.value], ["accepted", { celsius: 19 }]);
const unknown = await toolOutput(ask("tomorrow", "Ulm"), forecast);
assert.deepEqual([unknown.status, unknown.at, unknown.candidate], ["mismatch", "parse", "Nobody knows."]);
const denied = await toolOutput(ask("tomorrow", "Mars"), forecast);
assert.deepEqual(denied, { status: "tool_error", text: "denied by interceptor 'near': too far" });
await client.close();
