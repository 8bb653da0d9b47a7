import { sha256, visibleText, type JsonObject, type JsonValue } from "@basis/core";
import type { ToolContext, ToolOutcome } from "../tools/tool.ts";
import type { ServerTool } from "./server-tools.ts";
import type { ToolDefinition } from "./tool-definition.ts";
import { mcpToolName } from "./tool-name.ts";

/** Runs the calls of one server. */
export interface ToolServer {
  readonly name: string;
  readonly callTimeoutMs: number;
  /** Of the configuration that the user trusted. */
  readonly configDigest: string;
  /** The digest of the definition that the server gives a tool now; undefined when it has none of that name. */
  currentDigest(tool: string): string | undefined;
  call(definition: ToolDefinition, input: JsonObject, context: ToolContext): Promise<ToolOutcome>;
}

/** A tool of a server, and what the server says of it. */
export interface McpTool extends ServerTool {
  readonly definition: ToolDefinition;
}

/**
 * A server's tool as the dispatcher knows it. Nobody can tell what it does: it counts as the furthest reaching, its
 * effect as unknown, so that every guard's filter takes it for its own. What the server says of it changes none of that.
 */
export function mcpTool(server: ToolServer, definition: ToolDefinition): McpTool {
  const { name, description, inputSchema, digest } = definition;
  return {
    name: mcpToolName(server.name, name),
    description: description === "" ? `The tool ${visibleText(name)} of ${server.name}.` : description,
    inputSchema,
    effect: undefined,
    level: "external",
    source: `mcp:${server.name}`,
    identity: sha256(`${server.configDigest} ${digest}`),
    timeoutMs: server.callTimeoutMs,
    definition,
    claims: definition.claims,
    parallelSafe: () => false,
    evidence: async () => ({ "mcp:definition": server.currentDigest(name) ?? "gone" }),
    execute: (input: JsonValue, context: ToolContext) =>
      server.call(definition, input as JsonObject, context),
  };
}
