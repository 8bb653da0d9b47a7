import type { JsonObject } from "@basis/core";
import { redactMessage } from "../redact-message.ts";
import { redactedText } from "../redact-model-message.ts";
import type { Part } from "./message-parts.ts";
import { fieldsOf, plainText, redactContent } from "./redacted-content.ts";

/**
 * A message of Anthropic's without what it said, as the provider takes it back: calls and results keep their ids and
 * names, thinking goes as a whole (its signature holds for its text alone), what is no text becomes one.
 */
export function redactAnthropicMessage(message: unknown): unknown {
  const { content, stop_reason: stop, ...rest } = message as JsonObject;
  const redacted = redactMessage(rest) as JsonObject;
  return {
    ...redacted,
    ...(stop === undefined ? {} : { stop_reason: stop }),
    ...(content === undefined ? {} : { content: redactContent(content, plainText, redactAnthropicBlock) }),
  };
}

/** A block of Anthropic's, which LangChain's contents may hold as well. */
export function redactAnthropicBlock(block: Part): JsonObject | "left out" | undefined {
  const { type } = block;
  if (type === "thinking" || type === "redacted_thinking") return "left out";
  if (type === "tool_use" || type.endsWith("_tool_use")) {
    return { ...fieldsOf(block, "type", "id", "name", "server_name", "caller"), input: {} };
  }
  if (type === "tool_result" || type === "mcp_tool_result") {
    return { ...fieldsOf(block, "type", "tool_use_id", "is_error"), content: redactedText };
  }
  if (!type.endsWith("_tool_result")) return undefined;
  // A list of what a server has found is encrypted item by item; an empty one stands for any.
  if (Array.isArray(block["content"])) {
    return { ...fieldsOf(block, "type", "tool_use_id", "caller"), content: [] };
  }
  return redactMessage(block) as JsonObject;
}
