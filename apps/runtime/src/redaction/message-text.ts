import type { JsonValue } from "@basis/core";
import type {
  AssistantMessage,
  FilePart,
  ModelMessage,
  ProviderOptions,
  TextPart,
  ToolMessage,
  ToolOutput,
  UserMessage,
} from "../providers/model.ts";
import { blobOf } from "../images/kept-image.ts";
import { summaryFacts, summaryOptions } from "../providers/summary-message.ts";
import { cleanText, cleanValue, REDACTED } from "./texts.ts";

type Part = Exclude<ModelMessage["content"], string>[number];
type AssistantPart = Exclude<AssistantMessage["content"], string>[number];

/**
 * A message without these texts, the same object when nothing said in it has one: the words of its format, ids and names
 * stay. What a provider signed or kept under an id of its own is no longer what was said: thoughts and provider options
 * go with the text.
 */
export function messageWithoutTexts(message: ModelMessage, forms: readonly string[]): ModelMessage {
  if (!has(spokenIn(message), forms)) return message;
  switch (message.role) {
    case "system":
      return { role: "system", content: cleanText(message.content, forms) };
    case "user":
      return userWithoutTexts(message, forms);
    case "assistant":
      return { role: "assistant", content: assistantContent(message.content, forms) };
    case "tool":
      return { role: "tool", content: toolContent(message.content, forms) };
  }
}

/** A message without what is attached to it: images, and of a long result what its blob has whole. */
export function messageWithoutAttachments(message: ModelMessage): ModelMessage {
  if (message.role === "user" && typeof message.content !== "string")
    return { role: "user", content: message.content.map(withoutBlob) };
  if (message.role === "assistant" && typeof message.content !== "string")
    return { role: "assistant", content: message.content.map(withoutBlob) };
  if (message.role === "tool")
    return {
      role: "tool",
      content: message.content.map(({ type, toolCallId, toolName }) => ({
        type,
        toolCallId,
        toolName,
        output: { type: "text", value: REDACTED },
      })),
    };
  return message;
}

function withoutBlob<P extends Part>(part: P): P | TextPart {
  return part.type === "file" && blobOf(part.data) !== undefined ? { type: "text", text: REDACTED } : part;
}

/** Whether one of the texts is part of a call's id or of a tool's name, which stay. */
export function isInNames({ content }: ModelMessage, forms: readonly string[]): boolean {
  if (typeof content === "string") return false;
  return content.some(
    (part) => "toolCallId" in part && has([part.toolCallId, part.toolName] satisfies JsonValue, forms),
  );
}

function has(value: JsonValue, forms: readonly string[]): boolean {
  return cleanValue(value, forms) !== value;
}

/** All that a message says; not what its format calls it. */
export function spokenIn(message: ModelMessage): JsonValue {
  const { content } = message;
  const providerOptions = summaryFacts(message) ? undefined : message.providerOptions;
  const parts: readonly Part[] = typeof content === "string" ? [] : content;
  return [
    typeof content === "string" ? content : parts.flatMap(spokenInPart),
    [providerOptions, ...parts.map((part) => part.providerOptions)].flatMap(factsIn),
  ];
}

function spokenInPart(part: Part): JsonValue[] {
  switch (part.type) {
    case "text":
    case "reasoning":
      return [part.text];
    case "file":
      return [placeOf(part), part.filename ?? ""];
    case "tool-call":
      return [part.input];
    case "tool-result":
      return part.output.type === "content"
        ? part.output.value.map((shown) => (shown.type === "text" ? shown.text : placeOf(shown)))
        : [part.output.value];
  }
}

/** Where the bytes of a file are, or they themselves; the name of a blob says nothing. */
function placeOf({ data }: { readonly data: string }): string {
  return blobOf(data) === undefined ? data : "";
}

/** What providers told, without the names under which they told it. */
function factsIn(options: ProviderOptions | undefined): JsonValue[] {
  return Object.values(options ?? {}).flatMap((facts) => Object.values(facts));
}

/** The numbers of a compaction stay: they say where requests begin. */
function userWithoutTexts(message: UserMessage, forms: readonly string[]): UserMessage {
  const facts = summaryFacts(message);
  const content = userContent(message.content, forms);
  return { role: "user", content, ...(facts && { providerOptions: summaryOptions(facts) }) };
}

function userContent(
  content: string | readonly (TextPart | FilePart)[],
  forms: readonly string[],
): string | readonly (TextPart | FilePart)[] {
  if (typeof content === "string") return cleanText(content, forms);
  return content.map((part) => textOrFile(part, forms));
}

function textOrFile(part: TextPart | FilePart, forms: readonly string[]): TextPart | FilePart {
  if (part.type === "text") return { type: "text", text: cleanText(part.text, forms) };
  const { type, data, mediaType, filename } = part;
  if (has(placeOf(part), forms)) return { type: "text", text: REDACTED };
  return { type, data, mediaType, ...(filename !== undefined && { filename: cleanText(filename, forms) }) };
}

function assistantContent(
  content: AssistantMessage["content"],
  forms: readonly string[],
): AssistantMessage["content"] {
  if (typeof content === "string") return cleanText(content, forms);
  const parts = content.flatMap((part): readonly AssistantPart[] => {
    switch (part.type) {
      case "reasoning":
        return [];
      case "tool-call": {
        const { type, toolCallId, toolName, input } = part;
        return [{ type, toolCallId, toolName, input: cleanValue(input, forms) }];
      }
      default:
        return [textOrFile(part, forms)];
    }
  });
  return parts.length === 0 ? [{ type: "text", text: REDACTED }] : parts;
}

function toolContent(content: ToolMessage["content"], forms: readonly string[]): ToolMessage["content"] {
  return content.map(({ type, toolCallId, toolName, output }) => ({
    type,
    toolCallId,
    toolName,
    output: outputWithoutTexts(output, forms),
  }));
}

function outputWithoutTexts(output: ToolOutput, forms: readonly string[]): ToolOutput {
  if (output.type !== "content")
    return { ...output, value: cleanValue(output.value, forms) } as typeof output;
  const value = output.value.map((shown): typeof shown => {
    if (shown.type === "text") return { ...shown, text: cleanText(shown.text, forms) };
    return has(placeOf(shown), forms) ? { type: "text", text: REDACTED } : shown;
  });
  return { ...output, value };
}
