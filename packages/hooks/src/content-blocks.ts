import { isJsonObject, type JsonObject, type JsonValue } from "@basis/core";

/** Content that a model reads: text, content blocks as they are, the JSON of anything else. */
export function contentOf(output: JsonValue): string | readonly JsonObject[] {
  if (typeof output === "string") return output;
  const isBlocks = Array.isArray(output) && output.length > 0 && output.every(isBlock);
  return isBlocks ? (output as readonly JsonObject[]) : JSON.stringify(output);
}

function isBlock(part: JsonValue): boolean {
  return isJsonObject(part) && typeof part["type"] === "string";
}
