import type { JsonObject } from "@basis/core";
import type { Tool } from "../tools/tool.ts";
import type { ToolDefinition } from "../providers/model.ts";

/** Tools as the model is shown them, in name order, so that the same roster gives the same bytes. */
export function toolDefinitions(tools: Iterable<Tool>): readonly ToolDefinition[] {
  return [...tools]
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** What a fork inherits of a request: everything before the messages. */
export function requestHead(head: {
  system: string;
  tools: readonly ToolDefinition[];
  model: string;
}): JsonObject {
  return {
    model: head.model,
    system: head.system,
    tools: head.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  };
}
