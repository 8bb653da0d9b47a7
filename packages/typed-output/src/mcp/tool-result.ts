import { isJsonObject, type JsonObject } from "@basis/core";

/** What a tool of an MCP server answered, as far as it is looked at. Source: MCP 2025-06-18, `CallToolResult`. */
export interface ToolResult {
  readonly structuredContent?: JsonObject;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly isError: boolean;
}

/** Reads what a client's `callTool` answered; undefined when it is no result of a tool. */
export function readResult(answered: unknown): ToolResult | undefined {
  const { structuredContent, content = [], isError } = Object(answered) as Record<string, unknown>;
  if (!isJsonObject(answered) || !Array.isArray(content)) return undefined;
  return {
    ...(isJsonObject(structuredContent) && { structuredContent }),
    content: content.filter((part): part is ToolResult["content"][number] => isJsonObject(part)),
    isError: isError === true,
  };
}

/** The text of a result. */
export function textOf({ content }: ToolResult): string {
  return content.map(({ type, text = "" }) => (type === "text" ? text : "")).join("");
}

/**
 * The answer in a result: its structured content, or else the one text that servers write which know none. Undefined when
 * there is neither.
 */
export function candidateOf({ structuredContent, content }: ToolResult): string | undefined {
  if (structuredContent !== undefined) return JSON.stringify(structuredContent);
  const [only, ...others] = content;
  return only?.type === "text" && others.length === 0 ? only.text : undefined;
}
