import type { JsonValue } from "@basis/core";
import type { ToolOutcome } from "../tools/tool.ts";
import type {
  AssistantMessage,
  ModelMessage,
  ToolCallPart,
  ToolMessage,
  ToolOutput,
} from "../providers/model.ts";

/** A call of a stored assistant message, with the text of its arguments. */
export interface StoredCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly inputJson: string;
}

/** The row that holds one call's result. */
export function toolMessage(
  call: Pick<StoredCall, "toolCallId" | "toolName">,
  outcome: ToolOutcome,
): ToolMessage {
  const { toolCallId, toolName } = call;
  return {
    role: "tool",
    content: [{ type: "tool-result", toolCallId, toolName, output: toolOutput(outcome) }],
  };
}

/** The same message with every text well-formed: a lone half of a surrogate pair is no character, and no store keeps it. */
export function storable<T>(message: T): T {
  return repair(message) as T;
}

function repair(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/\p{Surrogate}/gu, "\ufffd");
  if (Array.isArray(value)) return value.map(repair);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [repair(key), repair(part)]));
}

/** The calls of an assistant message, in emission order. */
export function callsOf(message: AssistantMessage): readonly StoredCall[] {
  if (typeof message.content === "string") return [];
  return message.content
    .filter((part): part is ToolCallPart => part.type === "tool-call")
    .map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, inputJson: argumentText(input) }));
}

/** The text of an assistant message, its parts joined. */
export function textOf(message: AssistantMessage): string {
  if (typeof message.content === "string") return message.content;
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Ids of all calls that the messages hold. */
export function callIdsOf(messages: readonly ModelMessage[]): Set<string> {
  return new Set(
    messages.flatMap((m) => (m.role === "assistant" ? callsOf(m).map((call) => call.toolCallId) : [])),
  );
}

/**
 * Gives a call whose id the transcript already holds a new one, since some providers count from zero in every answer.
 * `row` is the position that the message will have.
 */
export function withFreshCallIds(
  message: AssistantMessage,
  used: Set<string>,
  row: number,
): AssistantMessage {
  if (typeof message.content === "string") return message;
  let changed = false;
  const content = message.content.map((part, index) => {
    if (part.type !== "tool-call") return part;
    const fresh = used.has(part.toolCallId) ? { ...part, toolCallId: `call_${row}_${index}` } : part;
    changed ||= fresh !== part;
    used.add(fresh.toolCallId);
    return fresh;
  });
  return changed ? { ...message, content } : message;
}

/** A text that is not JSON is stored as that text; anything else is stored parsed. */
function argumentText(input: JsonValue): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

function toolOutput({ output, isError }: ToolOutcome): ToolOutput {
  if (typeof output === "string") return { type: isError ? "error-text" : "text", value: output };
  return { type: isError ? "error-json" : "json", value: output };
}
