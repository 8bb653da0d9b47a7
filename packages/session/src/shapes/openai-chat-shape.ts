import type { InvalidMessage, MessageFacts, MessageKind, TranscriptShape } from "../transcript-shape.ts";
import { MessageMarks } from "./message-marks.ts";
import { asObject, eachObject, eachPart } from "./message-parts.ts";
import { redactOpenAiChatMessage } from "./redact-openai-chat-message.ts";

/** A chat completion message as far as a transcript reads it; the SDK's own types, params and answers, are assignable to it. */
export interface OpenAiChatMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool" | "function";
  readonly content?: string | readonly { readonly type: string }[] | null | undefined;
  readonly name?: string | undefined;
  readonly tool_calls?: readonly { readonly id: string }[] | null | undefined;
  readonly tool_call_id?: string | undefined;
  readonly function_call?: { readonly name: string } | null | undefined;
}

/**
 * Reads OpenAI's chat messages. Each of an assistant's `tool_calls`, function or custom, opens `call:` and its id; a tool
 * message closes its `tool_call_id`. The old `function_call` opens `function:` and its name, a function message closes it.
 *
 * Source: `ChatCompletionMessageParam` and `ChatCompletionMessage` of openai 6.
 */
export const openAiChatShape: TranscriptShape<OpenAiChatMessage> = Object.freeze({
  name: "openai/chat-message@1",
  inspect: inspectChatMessage,
  redact: redactOpenAiChatMessage,
});

const KINDS: ReadonlyMap<unknown, MessageKind> = new Map<unknown, MessageKind>([
  ["system", "system"],
  ["developer", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["tool", "tool"],
  ["function", "tool"],
]);

function inspectChatMessage(message: OpenAiChatMessage): MessageFacts | InvalidMessage {
  const fields = asObject(message);
  const role = fields?.["role"];
  const kind = KINDS.get(role);
  if (fields === undefined || kind === undefined) {
    return { problem: "role: is none of system, developer, user, assistant, tool, function" };
  }
  const marks = new MessageMarks();
  readContent(fields, marks);
  if (role === "assistant") readCalls(fields, marks);
  else refuseCalls(fields, marks);
  if (role === "tool") marks.close("call", fields["tool_call_id"], { path: "", field: "tool_call_id" });
  if (role === "function") marks.close("function", fields["name"], { path: "", field: "name" });
  return marks.facts(kind);
}

type Fields = Readonly<Record<string, unknown>>;

/** An assistant may have said nothing, and an old function may have answered nothing. */
function readContent(fields: Fields, marks: MessageMarks): void {
  const content = fields["content"] ?? null;
  const silent = fields["role"] === "assistant" || fields["role"] === "function";
  if (content === null && silent) return;
  eachPart({ value: content, path: "content" }, marks, () => undefined);
}

function readCalls(fields: Fields, marks: MessageMarks): void {
  eachObject({ value: fields["tool_calls"], path: "tool_calls" }, marks, (call, path) =>
    marks.open("call", call["id"], { path, field: "id" }),
  );
  const called = fields["function_call"] ?? null;
  if (called === null) return;
  marks.open("function", asObject(called)?.["name"], { path: "function_call", field: "name" });
}

function refuseCalls(fields: Fields, marks: MessageMarks): void {
  for (const field of ["tool_calls", "function_call"]) {
    if ((fields[field] ?? null) !== null)
      marks.refuse(field, `a ${String(fields["role"])} message calls nothing`);
  }
}
