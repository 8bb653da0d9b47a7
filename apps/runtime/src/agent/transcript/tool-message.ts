import { newId, parseStrict, type JsonValue } from "@basis/core";
import { withKeptImages, type KeptImages } from "../../images/kept-image.ts";
import type { ToolOutcome } from "../../tools/tool.ts";
import type { AssistantMessage, ToolCallPart, ToolMessage, ToolOutput } from "../../providers/model.ts";

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
  images?: KeptImages,
): ToolMessage {
  const { toolCallId, toolName } = call;
  return {
    role: "tool",
    content: [{ type: "tool-result", toolCallId, toolName, output: toolOutput(outcome, images) }],
  };
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

/** The ids of a transcript's calls, as far as it is known. */
export type UsedCallIds = ReadonlySet<string> | "unknown";

/**
 * Gives a call whose id the transcript already holds a new one, since some providers count from zero in every answer.
 * Where it is unknown what it holds, every call gets a random one. `row` is the position that the message will have.
 */
export function withFreshCallIds(
  message: AssistantMessage,
  used: UsedCallIds,
  row: number,
): AssistantMessage {
  const isCalling =
    typeof message.content !== "string" && message.content.some(({ type }) => type === "tool-call");
  if (!isCalling) return message;
  let changed = false;
  const here = new Set<string>();
  const content = message.content.map((part, index) => {
    if (part.type !== "tool-call") return part;
    const id = callIdFor(part.toolCallId, { used, here, base: `call_${row}_${index}` });
    here.add(id);
    if (id === part.toolCallId) return part;
    changed = true;
    return { ...part, toolCallId: id };
  });
  return changed ? { ...message, content } : message;
}

function callIdFor(
  given: string,
  {
    used,
    here,
    base,
  }: { readonly used: UsedCallIds; readonly here: ReadonlySet<string>; readonly base: string },
): string {
  if (used === "unknown") return `call_${newId()}`;
  const isTaken = (id: string): boolean => used.has(id) || here.has(id);
  if (!isTaken(given)) return given;
  let id = base;
  for (let number = 2; isTaken(id); number += 1) id = `${base}_${number}`;
  return id;
}

/** The text that the input was stored from: a text that is no JSON document is stored as it is, anything else parsed. */
function argumentText(input: JsonValue): string {
  if (typeof input !== "string") return JSON.stringify(input);
  return parseStrict(input).ok ? JSON.stringify(input) : input;
}

function toolOutput({ output, isError }: ToolOutcome, images: KeptImages | undefined): ToolOutput {
  if (images !== undefined)
    return withKeptImages(typeof output === "string" ? output : JSON.stringify(output), images);
  if (typeof output === "string") return { type: isError ? "error-text" : "text", value: output };
  return { type: isError ? "error-json" : "json", value: output };
}
