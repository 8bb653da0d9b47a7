import type { JsonObject, JsonValue } from "@basis/core";
import { redactMessage } from "../redact-message.ts";
import { redactedText } from "../redact-model-message.ts";
import { asObject, type Part } from "./message-parts.ts";
import { fieldsOf, plainText, redactContent } from "./redacted-content.ts";

/** A chat message without what it said, as the provider takes it back: calls keep ids and names, images and audio become texts. */
export function redactOpenAiChatMessage(message: unknown): unknown {
  const fields = message as JsonObject;
  const calls = asList(fields["tool_calls"]).map(redactChatCall);
  const called = asObject(fields["function_call"]);
  const isSilent = (fields["content"] ?? null) === null;
  const content = redactContent(fields["content"], plainText, redactPart);
  return {
    ...fieldsOf(fields, "role", "name", "tool_call_id"),
    ...(isSilent && calls.length === 0 && called === undefined ? { content: redactedText } : { content }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(called === undefined ? {} : { function_call: { ...fieldsOf(called, "name"), arguments: "{}" } }),
  };
}

/** A call of a function or of a custom tool, with nothing handed to it. */
export function redactChatCall(value: JsonValue): JsonObject {
  const call = redactMessage(value) as JsonObject;
  const called = asObject(call["function"]);
  return called === undefined
    ? call
    : { ...call, function: { ...fieldsOf(called, "name"), arguments: "{}" } };
}

function redactPart({ type }: Part): JsonObject | undefined {
  return type === "refusal" ? { type, refusal: redactedText } : undefined;
}

/** A value as a list; what is none is an empty one. */
export function asList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
