import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { readArguments } from "../agent/queued-call.ts";
import { callsOf, textOf } from "../agent/tool-message.ts";
import type { AssistantMessage, ModelMessage, ToolMessage } from "../providers/model.ts";
import { summaryFacts } from "../providers/summary-message.ts";
import type { Tool } from "../tools/tool.ts";
import { textContent, viewTool } from "./tool-view.ts";
import { chunk } from "./turn-updates.ts";

/** Where a transcript belongs. */
export interface TranscriptPlace {
  readonly root: string;
  tool(name: string): Tool | undefined;
}

/** A stored message as the updates that told of it when it came. */
export function transcriptUpdates(message: ModelMessage, place: TranscriptPlace): readonly SessionUpdate[] {
  switch (message.role) {
    case "user": {
      const text = userText(message.content);
      return [chunk(summaryFacts(message) ? "agent_thought_chunk" : "user_message_chunk", text)];
    }
    case "assistant":
      return assistantUpdates(message, place);
    case "tool":
      return resultUpdates(message);
    default:
      return [];
  }
}

function userText(content: Extract<ModelMessage, { role: "user" }>["content"]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("");
}

function assistantUpdates(
  message: AssistantMessage,
  { root, tool }: TranscriptPlace,
): readonly SessionUpdate[] {
  const thought =
    typeof message.content === "string"
      ? ""
      : message.content.map((part) => (part.type === "reasoning" ? part.text : "")).join("");
  const text = textOf(message);
  const calls = callsOf(message).map(({ toolCallId, toolName: name, inputJson }): SessionUpdate => {
    const input = readArguments(inputJson);
    const known = tool(name);
    const view = viewTool({ name, input, effect: known?.effectOf?.(input) ?? known?.effect, root });
    return { sessionUpdate: "tool_call", toolCallId, ...view, status: "pending", rawInput: input };
  });
  return [
    ...(thought === "" ? [] : [chunk("agent_thought_chunk", thought)]),
    ...(text === "" ? [] : [chunk("agent_message_chunk", text)]),
    ...calls,
  ];
}

function resultUpdates({ content }: ToolMessage): readonly SessionUpdate[] {
  return content.map(({ toolCallId, output: { type, value } }) => ({
    sessionUpdate: "tool_call_update",
    toolCallId,
    status: type.startsWith("error") ? "failed" : "completed",
    content: textContent(value),
    rawOutput: value,
  }));
}
