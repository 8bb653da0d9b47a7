import assert from "node:assert/strict";
import { createHookChain } from "@basis/hooks";
import { guardMcpClient } from "@basis/hooks/mcp";
import { interpretingValidator } from "@basis/typed-output/interpreter";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

const server = new McpServer({ name: "files", version: "1.0.0" });
const annotations = { readOnlyHint: true }; // what a server says of itself: nobody believes it
server.registerTool("read", { inputSchema: { path: z.string() }, annotations }, async ({ path }) => ({
  content: [{ type: "text", text: path === "keys" ? "sk-123" : `text of ${path}` }],
}));
const client = new Client({ name: "host", version: "1.0.0" });
const [here, there] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(there), client.connect(here)]);

const hooks = createHookChain({
  workspace: "/repo",
  participants: [
    {
      name: "inside",
      tools: ["read"],
      intercept: ({ input }) =>
        String(input.path).startsWith("/")
          ? { decision: "deny", reason: "relative paths alone" }
          : { decision: "allow" },
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
const validator = interpretingValidator();
const guarded = guardMcpClient(client, hooks, { agentId: "main", server: "files", validator });

const shown = [];
for (const path of ["a.txt", "/etc/passwd", "keys", 7]) {
  const { content } = await guarded.callTool({ name: "read", arguments: { path } });
  shown.push(content[0].text);
}
assert.deepEqual(shown, [
  "text of a.txt",
  "denied by interceptor 'inside': relative paths alone",
  "(a key stood here)",
  "Invalid input for 'read': /path: expected string",
]);
await client.close();
