import type { JsonObject, JsonValue } from "@basis/core";
import { redactMessage } from "../redact-message.ts";
import { redactedText } from "../redact-model-message.ts";
import { asObject, type Part } from "./message-parts.ts";
import { redactAnthropicBlock } from "./redact-anthropic-message.ts";
import { asList, redactChatCall } from "./redact-openai-chat-message.ts";
import { fieldsOf, plainText, redactContent } from "./redacted-content.ts";

/**
 * A message of LangChain's, stored or serialised, without what it said: calls keep ids and names, a provider's own
 * fields go but for the calls among them, what is no text becomes one.
 */
export function redactLangChainMessage(message: unknown): unknown {
  const { data, kwargs, ...rest } = message as JsonObject;
  return {
    ...rest,
    ...(data === undefined ? {} : { data: redactFields(data as JsonObject) }),
    ...(kwargs === undefined ? {} : { kwargs: redactFields(kwargs as JsonObject) }),
  };
}

function redactFields(fields: JsonObject): JsonObject {
  const redacted: Record<string, JsonValue> = { ...(redactMessage(fields) as JsonObject) };
  for (const field of ["content", "content_blocks"]) {
    if (fields[field] !== undefined) redacted[field] = redactContent(fields[field], plainText, redactPart);
  }
  if (fields["tool_calls"] !== undefined) {
    redacted["tool_calls"] = asList(redacted["tool_calls"]).map((call) => ({ ...asObject(call), args: {} }));
  }
  if (fields["response_metadata"] !== undefined) redacted["response_metadata"] = {};
  const raw = asObject(fields["additional_kwargs"]);
  if (raw !== undefined) redacted["additional_kwargs"] = redactRaw(raw);
  if (fields["artifact"] !== undefined) redacted["artifact"] = null;
  return redacted;
}

/** What OpenAI's own messages have beside the standard fields. */
function redactRaw(raw: JsonObject): JsonObject {
  const called = asObject(raw["function_call"]);
  return {
    ...(raw["tool_calls"] === undefined ? {} : { tool_calls: asList(raw["tool_calls"]).map(redactChatCall) }),
    ...(called === undefined ? {} : { function_call: { ...fieldsOf(called, "name"), arguments: "{}" } }),
    ...(redactMessage(fieldsOf(raw, "tool_outputs")) as JsonObject),
  };
}

function redactPart(part: Part): JsonObject | "left out" | undefined {
  const { type } = part;
  switch (type) {
    case "tool_call":
    case "server_tool_call":
      return { ...fieldsOf(part, "type", "id", "name"), args: {} };
    case "server_tool_call_result":
      return {
        ...fieldsOf(part, "type", "id", "toolCallId", "tool_call_id", "status"),
        output: redactedText,
      };
    case "mcp_approval_response":
      return fieldsOf(part, "type", "id", "approval_request_id", "approve");
    case "reasoning":
      return "left out";
    default:
      return redactAnthropicBlock(part);
  }
}
