import type { InvalidMessage, MessageFacts, TranscriptShape } from "../transcript-shape.ts";
import { MessageMarks } from "./message-marks.ts";
import { asObject, eachPart, type Part } from "./message-parts.ts";
import { redactAnthropicMessage } from "./redact-anthropic-message.ts";

/** A message as far as a transcript reads it; the SDK's `MessageParam`, its beta form and its `Message` are assignable to it. */
export interface AnthropicMessage {
  readonly role: "user" | "assistant" | "system";
  /** May be absent in a system message that has an `output_config`. */
  readonly content?: string | readonly { readonly type: string }[] | undefined;
}

/**
 * Reads Anthropic's messages. In an assistant's content `tool_use` and every other `…_tool_use` (of the provider's
 * server, of MCP) open `call:` and their id; a server's `…_tool_result` closes it, in the same message or, after a paused turn, in a
 * later one of the assistant. A user's `tool_result` closes a `tool_use`, and makes the message one of kind `tool`.
 *
 * Source: `MessageParam`, `BetaMessageParam` and `Message` of @anthropic-ai/sdk 1.
 */
export const anthropicShape: TranscriptShape<AnthropicMessage> = Object.freeze({
  name: "anthropic/message@1",
  inspect: inspectAnthropicMessage,
  redact: redactAnthropicMessage,
});

function inspectAnthropicMessage(message: AnthropicMessage): MessageFacts | InvalidMessage {
  const fields = asObject(message);
  const role = fields?.["role"];
  if (fields === undefined || (role !== "user" && role !== "assistant" && role !== "system")) {
    return { problem: "role: is none of user, assistant, system" };
  }
  const marks = new MessageMarks();
  if (isSettingAlone(fields)) return marks.facts("system");
  eachPart({ value: fields["content"], path: "content" }, marks, (block, path) => {
    if (role === "assistant") readAssistantBlock(block, path, marks);
    else if (role === "user" && block.type === "tool_result") closeCall(block, path, marks);
    else if (isCall(block) || isResult(block)) marks.refuse(path, `a ${role} message holds no ${block.type}`);
  });
  return marks.facts(role === "user" && marks.answers ? "tool" : role);
}

/** A system message may only say how the next answers are to be put out. */
function isSettingAlone(fields: Readonly<Record<string, unknown>>): boolean {
  const { role, content, output_config: setting } = fields;
  return role === "system" && content === undefined && asObject(setting) !== undefined;
}

function readAssistantBlock(block: Part, path: string, marks: MessageMarks): void {
  if (block.type === "tool_result") marks.refuse(path, "an assistant message holds no tool_result");
  else readProviderBlock(block, path, marks);
}

/** A block of Anthropic's that calls or, executed by the provider, answers; any other is left alone. */
export function readProviderBlock(block: Part, path: string, marks: MessageMarks): void {
  if (isResult(block)) return closeCall(block, path, marks);
  if (!isCall(block)) return;
  marks.open("call", block["id"], { path, field: "id" });
  readCaller(block, path, marks);
}

/** A call that a program of the provider's makes works for the call that runs the program. */
export function readCaller(block: Part, path: string, marks: MessageMarks): void {
  const caller = asObject(block["caller"]);
  if (caller?.["tool_id"] === undefined) return;
  marks.workFor("call", caller["tool_id"], { path: `${path}/caller`, field: "tool_id" });
}

function isCall({ type }: Part): boolean {
  return type === "tool_use" || type.endsWith("_tool_use");
}

function isResult({ type }: Part): boolean {
  return type === "tool_result" || type.endsWith("_tool_result");
}

function closeCall(block: Part, path: string, marks: MessageMarks): void {
  marks.close("call", block["tool_use_id"], { path, field: "tool_use_id" });
}
