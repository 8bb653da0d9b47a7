import { isJsonObject, parseStrict } from "@basis/core";
import type { AiPart, AiReply } from "../model-turn/ai-model.ts";
import type { AnthropicUsage, Block, StreamEvent } from "./anthropic-client.ts";

/** A block as it arrives. */
interface Growing {
  block: Record<string, unknown> & Block;
  /** The arguments as the model wrote them. */
  written: string;
}

/** Reads a streamed reply to its end. Only a stream shows arguments as the model wrote them. */
export async function readReply(events: AsyncIterable<StreamEvent>): Promise<AiReply> {
  const reply = new GrowingReply();
  try {
    for await (const event of events) reply.take(event);
  } catch (failure) {
    return reply.broken(failure);
  }
  return reply.whole();
}

class GrowingReply {
  readonly #blocks: Growing[] = [];
  #usage: AnthropicUsage = {};
  #stopReason: string | undefined;

  take({ type, index = 0, message, content_block: block, delta, usage }: StreamEvent): void {
    if (type === "message_start") this.#usage = { ...message?.usage };
    if (type === "content_block_start" && block) this.#blocks[index] = { block: { ...block }, written: "" };
    if (type === "content_block_delta" && delta) grow(this.#blocks[index], delta);
    if (type !== "message_delta") return;
    const said = delta?.["stop_reason"];
    if (typeof said === "string") this.#stopReason = said;
    this.#usage = { ...this.#usage, ...withoutNulls(usage) };
  }

  /** A stream that merely ends, as one does whose connection was closed, may have lost any part of the reply. */
  whole(): AiReply {
    if (this.#stopReason === undefined)
      return this.broken(new Error("the reply broke off: its stream ended without a stop reason"));
    const content = this.#blocks.filter((one) => one !== undefined).map(partOf);
    return { content, finishReason: finishOf(this.#stopReason), usage: tokensOf(this.#usage) };
  }

  broken(failure: unknown): AiReply {
    return { failure, content: [], finishReason: finishOf(undefined), usage: tokensOf(this.#usage) };
  }
}

/** Deltas carry the rest of a member of their block: `text`, `thinking`, `signature`, `partial_json`, `citation`. */
function grow(growing: Growing | undefined, delta: Readonly<Record<string, unknown>>): void {
  if (growing === undefined) return;
  const { block } = growing;
  for (const [member, more] of Object.entries(delta)) {
    if (member === "partial_json") growing.written += String(more);
    else if (member === "citation") block["citations"] = [...((block["citations"] as unknown[]) ?? []), more];
    else if (member !== "type" && typeof more === "string") {
      const before = block[member];
      block[member] = typeof before === "string" ? before + more : more;
    }
  }
}

/** A part that stands for a block; the block goes back to the model as it came. */
function partOf({ block, written }: Growing): AiPart {
  const { type, text = "", name = type } = block;
  if (type === "tool_use") return callPart(block, written);
  if (/_tool_(?:use|result)$/.test(type)) return { type: "tool-result", toolName: name };
  const providerMetadata = { block };
  return type === "text"
    ? { type, text, providerMetadata }
    : { type: "reasoning", text: "", providerMetadata };
}

/** Arguments that are no object go back inside of one: the provider takes nothing else. */
function callPart(block: Block, written: string): AiPart {
  const { id: toolCallId = "", name: toolName = "", input: whole = {} } = block;
  const input = written === "" ? JSON.stringify(whole) : written;
  const parsed = parseStrict(input);
  const shown = parsed.ok && isJsonObject(parsed.value) ? parsed.value : { raw_invalid_input: input };
  const providerMetadata = { block: { ...block, input: shown } };
  return { type: "tool-call", toolCallId, toolName, input, providerMetadata };
}

/** Source: `StopReason` of the Messages API. */
function finishOf(raw: string | undefined): AiReply["finishReason"] {
  switch (raw) {
    case "end_turn":
    case "stop_sequence":
      return { unified: "stop", raw };
    case "max_tokens":
    case "model_context_window_exceeded":
      return { unified: "length", raw };
    case "tool_use":
      return { unified: "tool-calls", raw };
    case "refusal":
      return { unified: "content-filter", raw };
    default:
      return { unified: "other", raw };
  }
}

function tokensOf(usage: AnthropicUsage): AiReply["usage"] {
  const cacheRead = usage.cache_read_input_tokens ?? 0;
  const total = (usage.input_tokens ?? 0) + cacheRead + (usage.cache_creation_input_tokens ?? 0);
  const reasoning = usage.output_tokens_details?.thinking_tokens;
  return { inputTokens: { total, cacheRead }, outputTokens: { total: usage.output_tokens ?? 0, reasoning } };
}

function withoutNulls(usage: AnthropicUsage = {}): AnthropicUsage {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null));
}
