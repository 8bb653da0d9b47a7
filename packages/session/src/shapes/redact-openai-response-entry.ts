import type { JsonObject, JsonValue } from "@basis/core";
import { redactMessage } from "../redact-message.ts";
import { redactedText } from "../redact-model-message.ts";
import type { Part } from "./message-parts.ts";
import { fieldsOf, redactContent } from "./redacted-content.ts";

/** One grey point, for the screenshots that must be images. */
const BLANK_IMAGE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";

/** Something said by the assistant, for an item that can't be kept. */
const STAND_IN: JsonObject = Object.freeze({ role: "assistant", content: redactedText });

const INPUT_TEXT: JsonObject = Object.freeze({ type: "input_text", text: redactedText });
const OUTPUT_TEXT: JsonObject = Object.freeze({ type: "output_text", text: redactedText, annotations: [] });

/**
 * An item of the Responses API, or the items of an entry, without what they said, as the provider takes them back: calls
 * and results keep their ids and names, what is encrypted goes, a screenshot becomes a blank one.
 */
export function redactOpenAiResponseEntry(entry: unknown): unknown {
  if (!Array.isArray(entry)) return redactItem(entry as JsonObject) ?? STAND_IN;
  const items = entry.flatMap((item: JsonObject) => redactItem(item) ?? []);
  return items.length === 0 ? [STAND_IN] : items;
}

/** Undefined for what is nothing without the part that its provider has encrypted, or drawn. */
function redactItem(item: JsonObject): JsonObject | undefined {
  const { type = "message" } = item;
  const redacted = redactMessage(item) as JsonObject;
  if (type === "compaction" || type === "image_generation_call") return undefined;
  if (type === "reasoning") return { ...fieldsOf(redacted, "type", "id", "status"), summary: [] };
  if (type === "computer_call_output") {
    return { ...redacted, output: { type: "computer_screenshot", image_url: BLANK_IMAGE } };
  }
  if (type === "message" || type === null) {
    const plain = item["role"] === "assistant" ? OUTPUT_TEXT : INPUT_TEXT;
    return { ...redacted, content: redactContent(item["content"], plain, redactPart) };
  }
  if (Array.isArray(item["output"]) && isTextOutput(type)) return { ...redacted, output: redactedText };
  return typeof item["arguments"] === "string" ? { ...redacted, arguments: "{}" } : redacted;
}

function isTextOutput(type: JsonValue): boolean {
  return type === "function_call_output" || type === "custom_tool_call_output";
}

function redactPart({ type }: Part): JsonObject | undefined {
  return type === "refusal" ? { type, refusal: redactedText } : undefined;
}
