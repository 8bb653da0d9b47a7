import type { ToolCall } from "@basis/core";
import type { RoundOffer, ToolChoice } from "../terminal-gate.ts";
import type { AiMessage } from "./ai-model.ts";

/** What an offer adds to a request: tools with the choice among them, or a format for the text. */
export function offered({ terminal, format, choice }: RoundOffer, own: readonly object[]): object {
  const tools = terminal ? [...own, { type: "function", ...terminal }] : own;
  return {
    ...(tools.length > 0 && { tools, toolChoice: choiceOf(choice) }),
    ...(format && {
      responseFormat: {
        type: "json",
        schema: format.schema,
        name: format.name,
        description: format.description,
        ...(format.strict === true && { strict: true }),
      },
    }),
  };
}

/** The result of a call as a row. */
export function toolRow({ toolCallId, toolName }: ToolCall, output: unknown): AiMessage {
  return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
}

/** A row as a model takes it: a text of a user or of the assistant is one part. */
export function withParts(row: AiMessage): AiMessage {
  if (row.role === "system" || typeof row.content !== "string") return row;
  return { ...row, content: [{ type: "text", text: row.content }] };
}

function choiceOf(choice: ToolChoice): object {
  return choice.type === "tool" ? { type: "tool", toolName: choice.toolName } : { type: choice.type };
}
