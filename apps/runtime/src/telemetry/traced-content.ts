import { plainOutput } from "../providers/plain-output.ts";
import type { ModelMessage, ToolOutput } from "../providers/model.ts";

type Part = Readonly<Record<string, unknown>>;

/** Messages in the form of the conventions, as JSON text. */
export function messagesJson(messages: readonly ModelMessage[], more: Part = {}): string {
  return JSON.stringify(
    messages.map((message) => ({ role: message.role, parts: partsOf(message), ...more })),
  );
}

/** A text in the form of the conventions' system instructions. */
export function instructionsJson(text: string): string {
  return JSON.stringify([textPart(text)]);
}

function partsOf({ content }: ModelMessage): readonly Part[] {
  return typeof content === "string" ? [textPart(content)] : content.map(partOf);
}

function partOf(part: Exclude<ModelMessage["content"], string>[number]): Part {
  switch (part.type) {
    case "text":
      return textPart(part.text);
    case "reasoning":
      return { type: "reasoning", content: part.text };
    case "file":
      // Its bytes would make the span unsendable.
      return { type: "file", mime_type: part.mediaType, file_name: part.filename };
    case "tool-call":
      return { type: "tool_call", id: part.toolCallId, name: part.toolName, arguments: part.input };
    case "tool-result":
      return { type: "tool_call_response", id: part.toolCallId, response: valueOf(part.output) };
  }
}

function textPart(content: string): Part {
  return { type: "text", content };
}

function valueOf(output: ToolOutput): unknown {
  return plainOutput(output);
}
