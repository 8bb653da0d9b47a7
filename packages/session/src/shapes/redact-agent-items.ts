import type { JsonObject } from "@basis/core";
import { redactMessage } from "../redact-message.ts";
import { redactedText } from "../redact-model-message.ts";
import { asObject, type Part } from "./message-parts.ts";
import { fieldsOf, redactContent } from "./redacted-content.ts";

const INPUT_TEXT: JsonObject = Object.freeze({ type: "input_text", text: redactedText });
const OUTPUT_TEXT: JsonObject = Object.freeze({ type: "output_text", text: redactedText });

/** The items of a row without what they said: calls and results keep their ids and names. */
export function redactAgentItems(items: unknown): unknown {
  return (items as readonly JsonObject[]).map(redactItem);
}

function redactItem(item: JsonObject): JsonObject {
  const { type = "message", role } = item;
  const head = fieldsOf(item, "type", "id", "role", "callId", "name", "namespace", "status");
  switch (type) {
    case "message": {
      const plain = role === "assistant" ? OUTPUT_TEXT : INPUT_TEXT;
      return { ...head, content: redactContent(item["content"], plain, redactPart) };
    }
    case "reasoning":
      return { ...head, content: [] };
    case "compaction":
      return { type: "message", role: "assistant", status: "completed", content: [OUTPUT_TEXT] };
    case "function_call":
      return { ...head, arguments: "{}" };
    case "function_call_result":
      return { ...head, output: redactedText };
    case "hosted_tool_call": {
      const data = asObject(item["providerData"]) ?? {};
      return { ...head, providerData: fieldsOf(data, "type", "id", "approval_request_id", "approve") };
    }
    default:
      return redactMessage(item) as JsonObject;
  }
}

function redactPart({ type }: Part): JsonObject | undefined {
  return type === "refusal" ? { type, refusal: redactedText } : undefined;
}
