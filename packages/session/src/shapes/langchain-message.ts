import { asObject } from "./message-parts.ts";

/** A message as `mapChatMessagesToStoredMessages` answers it. */
export interface StoredLangChainMessage {
  readonly type: string;
  readonly data: object;
}

/** A message as `JSON.stringify` writes a live one. */
export interface SerialisedLangChainMessage {
  readonly lc: number;
  readonly type: string;
  readonly id: readonly string[];
  readonly kwargs: object;
}

/** A live message: an instance of one of LangChain's classes. It can be inspected, but no store keeps an instance. */
export interface LiveLangChainMessage {
  readonly content: unknown;
  getType(): string;
}

/** A message in any of its forms, reduced to its type (`human`, `ai`, …) and fields. */
export interface ReadLangChainMessage {
  readonly type: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Where the fields stand, for the refusal: `data`, `kwargs` or, in a live message, nothing. */
  readonly path: string;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ["HumanMessage", "human"],
  ["AIMessage", "ai"],
  ["SystemMessage", "system"],
  ["ToolMessage", "tool"],
  ["FunctionMessage", "function"],
  ["ChatMessage", "generic"],
  ["RemoveMessage", "remove"],
]);

/** The type and fields of a message; undefined for what is none of the three forms. */
export function readLangChainMessage(message: unknown): ReadLangChainMessage | undefined {
  const fields = asObject(message) as (Record<string, unknown> & Partial<LiveLangChainMessage>) | undefined;
  if (fields === undefined) return undefined;
  if (fields["lc"] === 1 && fields["type"] === "constructor") return serialisedMessage(fields);
  if (typeof fields.getType === "function") return { type: fields.getType(), fields, path: "" };
  const data = asObject(fields["data"]);
  if (data === undefined || typeof fields["type"] !== "string") return undefined;
  return { type: fields["type"], fields: data, path: "data" };
}

function serialisedMessage(fields: Readonly<Record<string, unknown>>): ReadLangChainMessage | undefined {
  const kwargs = asObject(fields["kwargs"]);
  const path: unknown = fields["id"];
  const name: unknown = Array.isArray(path) ? path.at(-1) : undefined;
  const type = typeof name === "string" ? TYPES.get(name.replace(/Chunk$/, "")) : undefined;
  return kwargs === undefined || type === undefined ? undefined : { type, fields: kwargs, path: "kwargs" };
}
