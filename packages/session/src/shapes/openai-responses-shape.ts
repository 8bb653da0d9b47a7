import type { InvalidMessage, MessageFacts, MessageKind, TranscriptShape } from "../transcript-shape.ts";
import { MessageMarks } from "./message-marks.ts";
import { asObject, eachPart, itemPath } from "./message-parts.ts";
import { redactOpenAiResponseEntry } from "./redact-openai-response-entry.ts";

/** One item of a response's input or output as far as a transcript reads it; the SDK's own types are assignable to it. */
export interface OpenAiResponseItem {
  readonly type?: string | null | undefined;
  readonly role?: string | undefined;
  readonly id?: string | null | undefined;
  readonly call_id?: string | null | undefined;
}

/**
 * One row of a transcript: an item by itself, or the items that belong together. The output of one response is one
 * entry, since its calls are one group; so are the outputs that answer them, unless each is to commit alone.
 */
export type OpenAiResponseEntry = OpenAiResponseItem | readonly OpenAiResponseItem[];

/**
 * Reads the items of OpenAI's Responses API. What the caller has to answer (`function_call`, `custom_tool_call`,
 * `computer_call`, shell and patch calls, a client's tool search) opens `call:` and its `call_id`, and its output closes it; an `mcp_approval_request`
 * opens `approval:` and its id. What the provider executes (web and file search, code, images, MCP) opens nothing.
 * An `item_reference` is refused: the transcript would not hold what it stands for.
 *
 * Source: `ResponseInputItem` and `ResponseOutputItem` of openai 6.
 */
export const openAiResponsesShape: TranscriptShape<OpenAiResponseEntry> = Object.freeze({
  name: "openai/response-items@1",
  inspect: inspectEntry,
  redact: redactOpenAiResponseEntry,
});

type Item = Readonly<Record<string, unknown>>;

/** Items that the provider makes and finishes by itself, or that only carry on its state. */
const ASSISTANT_ITEMS: ReadonlySet<string> = new Set([
  "reasoning",
  "compaction",
  "file_search_call",
  "web_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_list_tools",
  "mcp_call",
]);

const ROLES: ReadonlyMap<unknown, MessageKind> = new Map<unknown, MessageKind>([
  ["system", "system"],
  ["developer", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
]);

function inspectEntry(entry: OpenAiResponseEntry): MessageFacts | InvalidMessage {
  const marks = new MessageMarks();
  if (!Array.isArray(entry)) return marks.facts(readItem(entry, "", marks));
  const kinds = new Set(entry.map((item, index) => readItem(item, itemPath("", index), marks)));
  return marks.facts(kindOf(kinds, marks));
}

/** The kind of an entry: results may stand beside what somebody says; a turn of the assistant's holds no one else's words. */
function kindOf(kinds: ReadonlySet<MessageKind>, marks: MessageMarks): MessageKind {
  const said = kinds.has("user") || kinds.has("system");
  if (kinds.size === 0) marks.refuse("", "it holds no item");
  if (kinds.has("assistant") && said)
    marks.refuse("", "one entry holds items of the assistant and of others");
  if (kinds.has("assistant")) return "assistant";
  if (kinds.has("tool")) return "tool";
  return kinds.has("user") ? "user" : "system";
}

function readItem(value: unknown, path: string, marks: MessageMarks): MessageKind {
  const item = asObject(value);
  if (item === undefined) return refused(path, "is no item", marks);
  const type = item["type"] ?? (item["role"] === undefined ? "item_reference" : "message");
  if (type === "message") return readMessage(item, path, marks);
  if (typeof type !== "string") return refused(at(path, "type"), "is no text", marks);
  if (type === "mcp_approval_request") {
    marks.open("approval", item["id"], { path, field: "id" });
    return "assistant";
  }
  if (type === "mcp_approval_response") {
    marks.close("approval", item["approval_request_id"], { path, field: "approval_request_id" });
    return "tool";
  }
  return ASSISTANT_ITEMS.has(type) ? "assistant" : readOther(item, { type, path }, marks);
}

function readMessage(item: Item, path: string, marks: MessageMarks): MessageKind {
  const kind = ROLES.get(item["role"]);
  if (kind === undefined)
    return refused(at(path, "role"), "is none of system, developer, user, assistant", marks);
  eachPart({ value: item["content"], path: at(path, "content") }, marks, () => undefined);
  return kind;
}

interface TypedItem {
  readonly type: string;
  readonly path: string;
}

function readOther(item: Item, { type, path }: TypedItem, marks: MessageMarks): MessageKind {
  if (type === "compaction_trigger") return "user";
  if (type === "additional_tools") return "system";
  if (type === "program" || type.endsWith("_call")) return readCall(item, { type, path }, marks);
  if (type.endsWith("_output")) return readOutput(item, { type, path }, marks);
  const reason =
    type === "item_reference" ? "refers to an item that the transcript doesn't hold" : "is no item's";
  return refused(at(path, "type"), `${type} ${reason}`, marks);
}

function readCall(item: Item, { type, path }: TypedItem, marks: MessageMarks): MessageKind {
  if (isServersSearch(item, type)) return "assistant";
  marks.open("call", item["call_id"], { path, field: "call_id" });
  const caller = asObject(item["caller"]);
  if (caller?.["type"] === "program") {
    marks.workFor("call", caller["caller_id"], { path: at(path, "caller"), field: "caller_id" });
  }
  return "assistant";
}

/** The output of a local shell names its call by `id`. What the provider answers itself is the assistant's. */
function readOutput(item: Item, { type, path }: TypedItem, marks: MessageMarks): MessageKind {
  if (isServersSearch(item, type)) return "assistant";
  const field = type === "local_shell_call_output" && item["call_id"] === undefined ? "id" : "call_id";
  marks.close("call", item[field], { path, field });
  return type === "program_output" ? "assistant" : "tool";
}

/** A tool search has a call id only when the client is to carry it out. */
function isServersSearch(item: Item, type: string): boolean {
  return type.startsWith("tool_search_") && (item["call_id"] ?? null) === null;
}

function refused(path: string, problem: string, marks: MessageMarks): MessageKind {
  marks.refuse(path, problem);
  return "assistant";
}

function at(path: string, field: string): string {
  return path === "" ? field : `${path}/${field}`;
}
