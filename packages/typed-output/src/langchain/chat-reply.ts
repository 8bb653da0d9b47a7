import type { AiPart, AiReply } from "../model-turn/ai-model.ts";
import type { ChatMessage } from "./chat-model.ts";

/** A message of a chat model as a reply. The message itself goes along: providers want back what they signed. */
export function replyOf(message: ChatMessage): AiReply {
  const { usage_metadata: usage = {} } = message;
  const parts = [...blocksOf(message), ...callsOf(message)];
  const [first = { type: "text", text: "" }, ...others] = parts;
  return {
    content: [{ ...first, providerMetadata: { message } }, ...others],
    finishReason: finishOf(message),
    usage: {
      inputTokens: { total: usage.input_tokens, cacheRead: usage.input_token_details?.cache_read },
      outputTokens: { total: usage.output_tokens, reasoning: usage.output_token_details?.reasoning },
    },
  };
}

function blocksOf({ content }: ChatMessage): AiPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  const blocks = Array.isArray(content)
    ? (content as readonly { type: string; text?: string; name?: string }[])
    : [];
  return blocks.flatMap(({ type, text, name }): AiPart[] => {
    if (type === "text") return [{ type, text: text ?? "" }];
    // What a provider ran itself: its call, or the result of one.
    const isForeign = /^(?:server|mcp)_tool|_tool_result$/.test(type);
    return isForeign ? [{ type: "tool-result", toolName: name ?? type }] : [];
  });
}

function callsOf(message: ChatMessage): AiPart[] {
  const raw = writtenArguments(message);
  const { tool_calls: valid = [], invalid_tool_calls: invalid = [] } = message;
  const calls = valid.map(({ id = "", name, args }): AiPart => {
    const written = raw.get(id);
    const input = typeof written === "string" && written !== "" ? written : JSON.stringify(args);
    return { type: "tool-call", toolCallId: id, toolName: name, input };
  });
  const broken = invalid.map(({ id = "", name = "", args = "" }): AiPart => ({
    type: "tool-call",
    toolCallId: id,
    toolName: name,
    input: args,
  }));
  return [...calls, ...broken];
}

/** The text of each call's arguments, by its id. Of a streamed reply LangChain completes what was cut off; the text is as it came. */
function writtenArguments({
  additional_kwargs: kwargs,
  tool_call_chunks: chunks,
}: ChatMessage): Map<string | undefined, unknown> {
  return new Map<string | undefined, unknown>([
    ...(kwargs?.tool_calls ?? []).map(({ id, function: called }) => [id, called?.arguments] as const),
    ...joined(chunks ?? []).map(({ id, args }) => [id, args] as const),
  ]);
}

/** The pieces of one call have its id, or the index of the piece that has it. */
function joined(chunks: NonNullable<ChatMessage["tool_call_chunks"]>): { id: string; args: string }[] {
  const calls: { readonly id: string; readonly index: number | string | undefined; args: string }[] = [];
  for (const { id, index, args = "" } of chunks) {
    const known = calls.find((call) => (id ? call.id === id : index !== undefined && call.index === index));
    if (known) known.args += args;
    else if (id) calls.push({ id, index, args });
  }
  return calls;
}

/** The words of providers for why a model stopped. */
const FINISHES: readonly (readonly [RegExp, string])[] = [
  [/^(?:stop|end_turn|stop_sequence|completed)$/i, "stop"],
  [/^(?:length|max_tokens|max_output_tokens|model_context_window_exceeded)$/i, "length"],
  [/^(?:tool_calls|tool_use|function_call)$/i, "tool-calls"],
  [/^(?:content_filter|safety|recitation|prohibited_content|refusal)$/i, "content-filter"],
];

function finishOf({
  response_metadata: said = {},
  tool_calls: calls = [],
}: ChatMessage): AiReply["finishReason"] {
  const word = said["finish_reason"] ?? said["stop_reason"] ?? said["finishReason"] ?? said["stopReason"];
  if (typeof word !== "string") return { unified: calls.length > 0 ? "tool-calls" : "stop" };
  const known = FINISHES.find(([pattern]) => pattern.test(word));
  return { unified: known?.[1] ?? "other", raw: word };
}
