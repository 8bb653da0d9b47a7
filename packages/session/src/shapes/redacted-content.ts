import type { JsonObject, JsonValue } from "@basis/core";
import { redactedText } from "../redact-model-message.ts";
import { asObject, type Part } from "./message-parts.ts";

/**
 * What becomes of one part of a content: itself without what it said; nothing, where its provider takes it back only as
 * it made it (a signature, something encrypted); or undefined, for which a plain text stands in (an image, a file).
 */
export type PartRedaction = (part: Part) => JsonObject | "left out" | undefined;

/**
 * A content without what it says: a text, or a list of parts, at least one of which is left. What is neither stays.
 * `plain` is what stands in for the others.
 */
export function redactContent(content: unknown, plain: JsonObject, redact: PartRedaction): JsonValue {
  if (typeof content === "string") return redactedText;
  if (!Array.isArray(content)) return (content ?? null) as JsonValue;
  const parts = content.flatMap((value: unknown): JsonObject[] => {
    const part = asObject(value);
    const redacted = part === undefined ? undefined : redact(part as Part);
    return redacted === "left out" ? [] : [redacted ?? plain];
  });
  return parts.length === 0 ? [plain] : parts;
}

/** A text in place of what was said, as most formats have it. */
export const plainText: JsonObject = Object.freeze({ type: "text", text: redactedText });

/** Those of an object's fields that it has. */
export function fieldsOf(object: JsonObject, ...names: readonly string[]): JsonObject {
  const entries = names.flatMap((name): [string, JsonValue][] => {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}
