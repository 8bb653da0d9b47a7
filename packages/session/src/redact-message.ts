import type { JsonValue } from "@basis/core";
import { redactedText } from "./redact-model-message.ts";

/** Fields that say what a part is and which call it belongs to; their values stay, whatever the format. */
export const structuralFields: RegExp =
  /^(?:type|role|kind|status|name|namespace|phase|object|model|mediaType|media_type|detail|.*(?:Id|_id|ID)|id|toolName|tool_name)$/;

/**
 * A message of any format without its texts: every text becomes `[redacted]` but those of structural fields, and a text
 * that is itself a JSON object or list, such as a call's arguments, becomes an empty one. Numbers and field names stay.
 */
export function redactMessage(message: unknown): unknown {
  return redactValue(message as JsonValue, "");
}

function redactValue(value: JsonValue, field: string): JsonValue {
  if (typeof value === "string") return structuralFields.test(field) ? value : redactText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, field));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactValue(item, key)]));
}

function redactText(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return redactedText;
    return Array.isArray(value) ? "[]" : "{}";
  } catch {
    return redactedText;
  }
}
