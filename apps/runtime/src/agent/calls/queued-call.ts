import { parseStrict, type JsonValue } from "@basis/core";
import type { WaitingChild } from "../../tools/tool.ts";
import type { StoredCall } from "../transcript/tool-message.ts";

/** A call of the round, with the host's own key: providers repeat their ids, keys are never the same twice. */
export interface QueuedCall extends StoredCall {
  readonly callKey: string;
  /** The arguments, or their text when it is not one strict JSON document. */
  readonly input: JsonValue;
  /** The child that the call has started already and that waited for an approval. */
  readonly waiting?: WaitingChild | undefined;
}

/**
 * The host's key of a call: its session, the id of its row and its place in it. Positions would not do: after a
 * rollback they are used again.
 */
export function callKeyOf(sessionId: string, rowId: string, index: number): string {
  return `${sessionId}:${rowId}:${index}`;
}

/** Names the calls of the assistant row with that id. */
export function queueCalls(
  sessionId: string,
  rowId: string,
  calls: readonly StoredCall[],
): readonly QueuedCall[] {
  return calls.map(({ toolCallId, toolName, inputJson }, index) => ({
    toolCallId,
    toolName,
    inputJson,
    callKey: callKeyOf(sessionId, rowId, index),
    input: readArguments(inputJson),
  }));
}

/** Reads argument text as hooks do: parsed where it is one strict document, else raw. */
export function readArguments(inputJson: string): JsonValue {
  const parsed = parseStrict(inputJson, { maxBytes: 8 * 1024 * 1024 });
  if (!parsed.ok) return inputJson;
  freezeJson(parsed.value);
  return parsed.value;
}

/** Freezes a value all the way down, so that what was judged of it stays true. */
export function freezeJson(value: JsonValue): void {
  if (typeof value !== "object" || value === null) return;
  for (const member of Object.values(value)) freezeJson(member);
  Object.freeze(value);
}

/** The three fields by which events name a call. */
export function eventCall({
  callKey,
  toolCallId,
  toolName,
}: Pick<QueuedCall, "callKey" | "toolCallId" | "toolName">): {
  call_key: string;
  tool_call_id: string;
  tool_name: string;
} {
  return { call_key: callKey, tool_call_id: toolCallId, tool_name: toolName };
}
