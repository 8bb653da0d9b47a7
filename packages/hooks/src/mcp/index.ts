export { guardMcpClient, type GuardedMcpClient, type GuardMcpClientOptions } from "./guard-client.ts";
export type { McpCallOptions, McpClient } from "./mcp-client.ts";
export type { ToolGuards } from "../ai-sdk/guard-tools.ts";
export type { InputValidator } from "../ai-sdk/input-check.ts";
