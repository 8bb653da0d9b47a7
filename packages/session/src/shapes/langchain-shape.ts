import type { InvalidMessage, MessageFacts, MessageKind, TranscriptShape } from "../transcript-shape.ts";
import { readCaller, readProviderBlock } from "./anthropic-shape.ts";
import {
  readLangChainMessage,
  type LiveLangChainMessage,
  type ReadLangChainMessage,
  type SerialisedLangChainMessage,
  type StoredLangChainMessage,
} from "./langchain-message.ts";
import { MessageMarks } from "./message-marks.ts";
import { asObject, eachObject, eachPart, type Part } from "./message-parts.ts";
import { redactLangChainMessage } from "./redact-langchain-message.ts";

/** A message in one of the two forms that a store can keep. */
export type LangChainMessage = StoredLangChainMessage | SerialisedLangChainMessage;

/** Reads stored and serialised messages, and live ones for whoever asks it without a store. */
export interface LangChainShape extends TranscriptShape<LangChainMessage> {
  inspect(message: LangChainMessage | LiveLangChainMessage): MessageFacts | InvalidMessage;
}

/**
 * Reads LangChain's messages: stored (`{type, data}`), serialised (`{lc: 1, type: "constructor", …}`) or live. An AI
 * message opens `call:` and the id of each of its `tool_calls`; when it has none, of the raw `additional_kwargs.tool_calls`, which go to the provider instead
 * (so does a call that could not be parsed). `invalid_tool_calls` open nothing by themselves. A tool message closes its
 * `tool_call_id`, whatever its status. Calls that a provider executes stand in the content, beside their results.
 *
 * Source: @langchain/core 1, `messages`; what is sent back, @langchain/openai 1.
 */
export const langChainShape: LangChainShape = Object.freeze({
  name: "langchain/message@1",
  inspect: inspectLangChainMessage,
  redact: redactLangChainMessage,
});

const KINDS: ReadonlyMap<unknown, MessageKind> = new Map<unknown, MessageKind>([
  ["human", "user"],
  ["user", "user"],
  ["ai", "assistant"],
  ["assistant", "assistant"],
  ["system", "system"],
  ["developer", "system"],
  ["tool", "tool"],
  ["function", "tool"],
]);

function inspectLangChainMessage(
  message: LangChainMessage | LiveLangChainMessage,
): MessageFacts | InvalidMessage {
  const read = readLangChainMessage(message);
  if (read === undefined) return { problem: "it is neither a stored, a serialised nor a live message" };
  const { type, fields } = read;
  const marks = new MessageMarks();
  // A generic message of a role that nobody knows is somebody's who isn't the model.
  const kind = type === "generic" ? (KINDS.get(fields["role"]) ?? "user") : KINDS.get(type);
  if (kind === undefined)
    return { problem: `type: ${type} is none of human, ai, system, tool, function, generic` };
  if (kind === "assistant") readAssistant(read, marks);
  else readOther(read, kind, marks);
  return marks.facts(kind === "user" && marks.answers ? "tool" : kind);
}

function readAssistant(read: ReadLangChainMessage, marks: MessageMarks): void {
  const { fields } = read;
  const raw = asObject(fields["additional_kwargs"]);
  const parsed = (fields["tool_calls"] ?? null) as unknown;
  const hasParsed = parsed !== null && !(Array.isArray(parsed) && parsed.length === 0);
  const [calls, path] = hasParsed
    ? [parsed, at(read, "tool_calls")]
    : [raw?.["tool_calls"], at(read, "additional_kwargs/tool_calls")];
  eachObject({ value: calls, path }, marks, (call, callPath) =>
    marks.open("call", call["id"], { path: callPath, field: "id" }),
  );
  const called = asObject(raw?.["function_call"]);
  if (called !== undefined) {
    const place = { path: at(read, "additional_kwargs/function_call"), field: "name" };
    marks.open("function", called["name"], place);
  }
  readContent(read, marks, (part, partPath) => readExecuted(part, partPath, marks));
  const outputs = { value: raw?.["tool_outputs"], path: at(read, "additional_kwargs/tool_outputs") };
  eachObject(outputs, marks, (item, itemPath) => {
    if (item["type"] !== "mcp_approval_request") return;
    marks.open("approval", item["id"], { path: itemPath, field: "id" });
  });
}

/** Calls of the caller's own tools stand in `tool_calls` as well; only what the provider executes stands here alone. */
function readExecuted(part: Part, path: string, marks: MessageMarks): void {
  if (part.type === "server_tool_call") marks.open("call", part["id"], { path, field: "id" });
  else if (part.type === "server_tool_call_result") {
    const field = part["toolCallId"] === undefined ? "tool_call_id" : "toolCallId";
    marks.close("call", part[field], { path, field });
  } else if (part.type !== "tool_use" && part.type !== "tool_result") {
    readProviderBlock(part, path, marks);
  } else readCaller(part, path, marks);
}

function readOther(read: ReadLangChainMessage, kind: MessageKind, marks: MessageMarks): void {
  const { type, fields, path } = read;
  readContent(read, marks, (part, partPath) => {
    if (kind !== "user" || part.type !== "mcp_approval_response") return;
    const place = { path: partPath, field: "approval_request_id" };
    marks.close("approval", part["approval_request_id"], place);
  });
  if (type === "tool") marks.close("call", fields["tool_call_id"], { path, field: "tool_call_id" });
  if (type === "function") marks.close("function", fields["name"], { path, field: "name" });
}

/** A message made of standard blocks is stored with `content_blocks` in place of `content`. */
function readContent(
  read: ReadLangChainMessage,
  marks: MessageMarks,
  each: (part: Part, path: string) => void,
): void {
  const { fields } = read;
  const field =
    fields["content"] === undefined && Array.isArray(fields["content_blocks"]) ? "content_blocks" : "content";
  eachPart({ value: fields[field], path: at(read, field) }, marks, each);
}

function at({ path }: ReadLangChainMessage, field: string): string {
  return path === "" ? field : `${path}/${field}`;
}
