import type { JsonValue } from "@basis/core";
import type { AssistantMessage, FilePart, ModelMessage, TextPart, ToolMessage } from "../providers/model.ts";
import { cleanText, cleanValue, REDACTED } from "./texts.ts";

type AssistantPart = Exclude<AssistantMessage["content"], string>[number];

/**
 * A message without these texts, the same object when it has none. Calls and results keep their ids and names. What a
 * provider signed or kept under an id of its own is no longer what was said: thoughts and provider options go with the text.
 */
export function messageWithoutTexts(message: ModelMessage, forms: readonly string[]): ModelMessage {
  if (cleanValue(message as unknown as JsonValue, forms) === (message as unknown as JsonValue))
    return message;
  switch (message.role) {
    case "system":
      return { role: "system", content: cleanText(message.content, forms) };
    case "user":
      return { role: "user", content: userContent(message.content, forms) };
    case "assistant":
      return { role: "assistant", content: assistantContent(message.content, forms) };
    case "tool":
      return { role: "tool", content: toolContent(message.content, forms) };
  }
}

function userContent(
  content: string | readonly (TextPart | FilePart)[],
  forms: readonly string[],
): string | readonly (TextPart | FilePart)[] {
  if (typeof content === "string") return cleanText(content, forms);
  return content.map((part) => textOrFile(part, forms));
}

function textOrFile(part: TextPart | FilePart, forms: readonly string[]): TextPart | FilePart {
  if (part.type === "text") return { type: "text", text: cleanText(part.text, forms) };
  const { type, data, mediaType, filename } = part;
  if (cleanText(data, forms) !== data) return { type: "text", text: REDACTED };
  return { type, data, mediaType, ...(filename !== undefined && { filename: cleanText(filename, forms) }) };
}

function assistantContent(
  content: AssistantMessage["content"],
  forms: readonly string[],
): AssistantMessage["content"] {
  if (typeof content === "string") return cleanText(content, forms);
  const parts = content.flatMap((part): readonly AssistantPart[] => {
    switch (part.type) {
      case "reasoning":
        return [];
      case "tool-call": {
        const { type, toolCallId, toolName, input } = part;
        return [{ type, toolCallId, toolName, input: cleanValue(input, forms) }];
      }
      default:
        return [textOrFile(part, forms)];
    }
  });
  return parts.length === 0 ? [{ type: "text", text: REDACTED }] : parts;
}

function toolContent(content: ToolMessage["content"], forms: readonly string[]): ToolMessage["content"] {
  return content.map(({ type, toolCallId, toolName, output }) => ({
    type,
    toolCallId,
    toolName,
    output: { ...output, value: cleanValue(output.value, forms) } as typeof output,
  }));
}
