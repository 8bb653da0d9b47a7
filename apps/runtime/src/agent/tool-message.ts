import { parseStrict, type JsonValue } from "@basis/core";
import type { ToolOutcome } from "../tools/tool.ts";
import type { AssistantMessage, ToolCallPart, ToolMessage, ToolOutput } from "../providers/model.ts";

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

/**
 * The message as the store will hand it out again: keys in canonical order, frozen, every text well-formed (a lone
 * half of a surrogate pair is no character, and no store keeps it). So a request has the same bytes whether its rows
 * were just written or read back.
 */
export function storable<T>(message: T): T {
  if (typeof message !== "object" || message === null) return settle(message) as T;
  if (settled.has(message)) return message;
  const kept = settle(message) as T & object;
  settled.add(kept);
  return kept;
}

/** What is as the store hands it out, since it was made here. */
const settled = new WeakSet<object>();

function settle(value: unknown): unknown {
  if (typeof value === "string") return wellFormed(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((item) => settle(item ?? null)));
  const keys = sortedKeys(value);
  return Object.freeze(keys.every(isPlainKey) ? sortedMembers(value, keys) : renamedMembers(value));
}

/** What comes from a store or a validated call is in order most of the time. */
function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  return keys.every((key, index) => index === 0 || keys[index - 1]! < key) ? keys : keys.toSorted();
}

function sortedMembers(source: object, keys: readonly string[]): object {
  const members: Record<string, unknown> = {};
  for (const key of keys) {
    const member = (source as Readonly<Record<string, unknown>>)[key];
    if (member !== undefined) members[key] = settle(member);
  }
  return members;
}

function renamedMembers(source: object): object {
  const members = Object.entries(source)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => [wellFormed(key), settle(member)] as const)
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(members);
}

/** True for a key that an assignment keeps as it is. */
function isPlainKey(key: string): boolean {
  return key !== "__proto__" && wellFormed(key) === key;
}

function wellFormed(text: string): string {
  return (text as string & { readonly toWellFormed: () => string }).toWellFormed();
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

/**
 * Gives a call whose id the transcript already holds a new one, since some providers count from zero in every answer.
 * `row` is the position that the message will have.
 */
export function withFreshCallIds(
  message: AssistantMessage,
  used: ReadonlySet<string>,
  row: number,
): AssistantMessage {
  if (typeof message.content === "string") return message;
  let changed = false;
  const here = new Set<string>();
  const isTaken = (id: string): boolean => used.has(id) || here.has(id);
  const content = message.content.map((part, index) => {
    if (part.type !== "tool-call") return part;
    const id = isTaken(part.toolCallId) ? freshId(isTaken, `call_${row}_${index}`) : part.toolCallId;
    here.add(id);
    if (id === part.toolCallId) return part;
    changed = true;
    return { ...part, toolCallId: id };
  });
  return changed ? { ...message, content } : message;
}

function freshId(isTaken: (id: string) => boolean, base: string): string {
  let id = base;
  for (let number = 2; isTaken(id); number += 1) id = `${base}_${number}`;
  return id;
}

/** The text that the input was stored from: a text that is no JSON document is stored as it is, anything else parsed. */
function argumentText(input: JsonValue): string {
  if (typeof input !== "string") return JSON.stringify(input);
  return parseStrict(input).ok ? JSON.stringify(input) : input;
}

function toolOutput({ output, isError }: ToolOutcome): ToolOutput {
  if (typeof output === "string") return { type: isError ? "error-text" : "text", value: output };
  return { type: isError ? "error-json" : "json", value: output };
}
