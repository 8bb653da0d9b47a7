import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { isJsonObject, parseStrict, type JsonValue } from "@basis/core";
import { ImageError, imageOfBase64, refuseTooMany, type Image } from "../images/image.ts";
import type { ToolOutcome } from "../tools/tool.ts";
import { isSameJson } from "./tool-definition.ts";

/**
 * What a server answered, as a transcript can hold it: text, or its structured content where the text says no more.
 * Images are shown beside it; what is neither is named with its type and size.
 */
export function callOutcome({ content, structuredContent, isError = false }: CallToolResult): ToolOutcome {
  const images: Image[] = [];
  const text = content.map((block) => blockText(block, images)).join("\n");
  const outcome = { output: outputOf(text, structuredContent as JsonValue | undefined), isError };
  return images.length === 0 || isError ? outcome : { ...outcome, images };
}

function outputOf(text: string, structured: JsonValue | undefined): JsonValue {
  if (structured === undefined) return text;
  if (text === "" || saysTheSame(text, structured)) return structured;
  return isOnlyText(structured, text) ? text : `${text}\n${JSON.stringify(structured)}`;
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

/** What a block says; an image that a model can be shown is added to the others. */
function blockText(block: ContentBlock, images: Image[]): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
      return imageText(block, images);
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

function imageText({ data, mimeType }: ContentBlock & { type: "image" }, images: Image[]): string {
  const what = `image ${mimeType}, ${bytesOf(data)} bytes`;
  try {
    refuseTooMany(images.length + 1);
    images.push(imageOfBase64(data));
    return `[${what}]`;
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    return `[${what}; not shown: ${error.message}]`;
  }
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, "base64");
}
