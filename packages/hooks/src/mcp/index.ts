export { guardMcpClient, type GuardedMcpClient, type GuardMcpClientOptions } from "./guard-client.ts";
export type { McpCallOptions, McpClient } from "./mcp-client.ts";
export type { GuardOptions, ToolGuards } from "../binding/tool-guards.ts";
export type { InputValidator } from "../binding/input-check.ts";
