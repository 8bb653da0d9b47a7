import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { parseStrict, type JsonValue } from "@basis/core";
import { ModelError } from "./model-error.ts";
import type {
  AssistantMessage,
  FilePart,
  FinishReason,
  ModelEvent,
  ProviderOptions,
  ToolCallPart,
} from "./model.ts";

type Part<Type extends LanguageModelV3StreamPart["type"]> = Extract<
  LanguageModelV3StreamPart,
  { type: Type }
>;
type Metadata = Part<"text-end">["providerMetadata"];
type Block = { type: "text" | "reasoning"; text: string; providerOptions?: ProviderOptions };

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ["stop", "stop"],
  ["length", "length"],
  ["tool-calls", "tool_calls"],
  ["content-filter", "content_filter"],
  ["error", "error"],
]);

/** Collects a stream's parts into the row to store, block by block in the order in which the blocks began. */
export class RoundRecord {
  readonly #content: (Block | FilePart | ToolCallPart)[] = [];
  readonly #open = new Map<string, Block>();

  /**
   * Takes one part and answers with what the caller is to be shown of it, if anything.
   * Throws `provider_executed_tool` for a call that the provider ran, or wants to run, itself: it never passed
   * the guards.
   */
  take(part: LanguageModelV3StreamPart): ModelEvent | undefined {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#begin(kindOf(part), part);
        return undefined;
      case "text-delta":
      case "reasoning-delta":
        return this.#extend(kindOf(part), part);
      case "text-end":
      case "reasoning-end":
        describe(this.#block(kindOf(part), part), part.providerMetadata);
        this.#open.delete(`${kindOf(part)}:${part.id}`);
        return undefined;
      case "file":
        this.#content.push(toFilePart(part));
        return undefined;
      default:
        return this.#takeCall(part);
    }
  }

  /**
   * The row; blocks without text are kept only for the sake of what the provider wants back. `unfinished` is the call
   * at which the answer was stopped.
   */
  message(unfinished?: ToolCallPart): AssistantMessage {
    const kept = this.#content.filter(
      (part) => !("text" in part) || part.text !== "" || part.providerOptions !== undefined,
    );
    return {
      role: "assistant",
      content: unfinished === undefined ? kept : [...kept, unfinished],
    };
  }

  /**
   * The provider package's finish reason as ours; what is not known is `other`. Some servers say of a round with
   * calls that it just stopped.
   */
  finishReason(unified: string): FinishReason {
    const reason = FINISH_REASONS.get(unified) ?? "other";
    const hasCalls = this.#content.some((part) => part.type === "tool-call");
    return hasCalls && (reason === "stop" || reason === "other") ? "tool_calls" : reason;
  }

  #takeCall(part: LanguageModelV3StreamPart): ModelEvent | undefined {
    switch (part.type) {
      case "tool-input-start":
      case "tool-call":
        if (part.providerExecuted === true) throw providerExecuted(part.toolName);
        return part.type === "tool-call" ? this.#call(part) : undefined;
      case "tool-result":
        throw providerExecuted(part.toolName);
      case "tool-approval-request":
        throw providerExecuted("(approval requested)");
      default:
        return undefined;
    }
  }

  #call(part: Part<"tool-call">): ModelEvent {
    const { toolCallId, toolName } = part;
    const input = part.input.trim() === "" ? "{}" : part.input;
    const stored: ToolCallPart = { type: "tool-call", toolCallId, toolName, input: parsedOrRaw(input) };
    const options = part.providerMetadata as ProviderOptions | undefined;
    this.#content.push(options === undefined ? stored : { ...stored, providerOptions: options });
    return { type: "tool_call", call: { toolCallId, toolName, input } };
  }

  #begin(type: Block["type"], part: { id: string; providerMetadata?: Metadata }): Block {
    const block: Block = { type, text: "" };
    describe(block, part.providerMetadata);
    this.#content.push(block);
    this.#open.set(`${type}:${part.id}`, block);
    return block;
  }

  #block(type: Block["type"], part: { id: string }): Block {
    return this.#open.get(`${type}:${part.id}`) ?? this.#begin(type, { id: part.id });
  }

  #extend(type: Block["type"], part: Part<"text-delta" | "reasoning-delta">): ModelEvent | undefined {
    const block = this.#block(type, part);
    describe(block, part.providerMetadata);
    block.text += part.delta;
    return part.delta === "" ? undefined : { type, delta: part.delta };
  }
}

function kindOf(part: { type: string }): Block["type"] {
  return part.type.startsWith("text") ? "text" : "reasoning";
}

/** Adds facts to a block, provider by provider; a later fact of the same name stands. */
function describe(block: Block, metadata: Metadata): void {
  if (metadata === undefined) return;
  const known = block.providerOptions ?? {};
  const facts = Object.entries(metadata as ProviderOptions);
  const merged = facts.map(([provider, told]) => [provider, { ...known[provider], ...told }] as const);
  block.providerOptions = { ...known, ...Object.fromEntries(merged) };
}

function parsedOrRaw(input: string): JsonValue {
  const parsed = parseStrict(input);
  return parsed.ok ? parsed.value : input;
}

/** The data of a file is text, bytes, or (interface version 4) either of them in a tagged object. */
function toFilePart(part: Part<"file">): FilePart {
  const { mediaType } = part;
  const held = part.data as unknown;
  const inner = held as { data?: unknown; url?: unknown };
  const isTagged = typeof held === "object" && held !== null && !(held instanceof Uint8Array);
  const data = isTagged ? (inner.url ?? inner.data) : held;
  if (data instanceof Uint8Array)
    return { type: "file", mediaType, data: Buffer.from(data).toString("base64") };
  return { type: "file", mediaType, data: String(data) };
}

function providerExecuted(toolName: string): ModelError<"provider_executed_tool"> {
  return new ModelError(
    "provider_executed_tool",
    `the provider ran the tool "${toolName}" itself, past every guard; the turn can't go on`,
    { details: { toolName } },
  );
}
