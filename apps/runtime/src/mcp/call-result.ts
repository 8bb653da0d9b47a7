import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { isJsonObject, parseStrict, type JsonValue } from "@basis/core";
import type { ToolOutcome } from "../tools/tool.ts";
import { isSameJson } from "./tool-definition.ts";

/**
 * What a server answered, as a transcript can hold it: text, or its structured content where the text says no more.
 * What is neither is named with its type and size.
 */
export function callOutcome({ content, structuredContent, isError = false }: CallToolResult): ToolOutcome {
  const text = content.map(blockText).join("\n");
  if (structuredContent === undefined) return { output: text, isError };
  const structured = structuredContent as JsonValue;
  if (text === "" || saysTheSame(text, structured)) return { output: structured, isError };
  if (isOnlyText(structured, text)) return { output: text, isError };
  return { output: `${text}\n${JSON.stringify(structured)}`, isError };
}

function saysTheSame(text: string, structured: JsonValue): boolean {
  const parsed = parseStrict(text, { maxBytes: 8 * 1024 * 1024 });
  return parsed.ok && isSameJson(parsed.value, structured);
}

/** Some servers wrap the same text in an object. */
function isOnlyText(structured: JsonValue, text: string): boolean {
  if (!isJsonObject(structured)) return false;
  const members = Object.values(structured);
  return members.length === 1 && members[0] === text;
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type} ${block.mimeType}, ${bytesOf(block.data)} bytes; not shown]`;
    case "resource_link":
      return `[resource ${block.uri}: ${block.name}]`;
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return `[resource ${resource.uri}]\n${resource.text}`;
      return `[resource ${resource.uri} ${resource.mimeType ?? "of no known type"}, ${bytesOf(resource.blob)} bytes; not shown]`;
    }
  }
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, "base64");
}
