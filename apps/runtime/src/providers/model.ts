import type { JsonObject, JsonValue, ModelInfo, TokenUsage } from "@basis/core";
import type { Dialect, DialectName } from "@basis/typed-output";

/** Facts that only one provider reads, by provider name; kept with the part they came with and sent back with it. */
export type ProviderOptions = Readonly<Record<string, JsonObject>>;

/** Text in a message. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly providerOptions?: ProviderOptions;
}

/** What a model thought; `providerOptions` hold the signature that a provider asks for when it is sent back. */
export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly providerOptions?: ProviderOptions;
}

/**
 * A file in a message: `data` is base64, an http(s) URL, or `blob:` and the digest by which `ModelRequest.blobs` has the bytes;
 * `mediaType` an IANA type.
 */
export interface FilePart {
  readonly type: "file";
  readonly data: string;
  readonly mediaType: string;
  readonly filename?: string;
  readonly providerOptions?: ProviderOptions;
}

/** A call as stored: `input` is the parsed argument text, or that text itself when it is not one JSON document. */
export interface ToolCallPart {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  readonly providerOptions?: ProviderOptions;
}

/** An image in a tool's answer; `data` as in a file. */
export interface ImageDataPart {
  readonly type: "image-data";
  readonly data: string;
  readonly mediaType: string;
}

/** What a tool answered, as the model reads it. */
export type ToolOutput =
  | { readonly type: "content"; readonly value: readonly (TextPart | ImageDataPart)[] }
  | { readonly type: "text" | "error-text"; readonly value: string }
  | { readonly type: "json" | "error-json"; readonly value: JsonValue };

/** The one result of the call with the same id. */
export interface ToolResultPart {
  readonly type: "tool-result";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: ToolOutput;
  readonly providerOptions?: ProviderOptions;
}

/** Instructions that stand over the conversation. */
export interface SystemMessage {
  readonly role: "system";
  readonly content: string;
  readonly providerOptions?: ProviderOptions;
}

/** What the user said. */
export interface UserMessage {
  readonly role: "user";
  readonly content: string | readonly (TextPart | FilePart)[];
  readonly providerOptions?: ProviderOptions;
}

/** What the model said, thought and called in one round. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string | readonly (TextPart | FilePart | ReasoningPart | ToolCallPart)[];
  readonly providerOptions?: ProviderOptions;
}

/** Results of calls; neighbouring tool messages are sent as one. */
export interface ToolMessage {
  readonly role: "tool";
  readonly content: readonly ToolResultPart[];
  readonly providerOptions?: ProviderOptions;
}

/** A row of a transcript, in the AI SDK's shape and JSON throughout. */
export type ModelMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** A tool as a model is shown it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** True where the schema was written for the provider's strict mode, and that is asked for. */
  readonly strict?: boolean;
}

/** Whether, and which, tool the model must call. */
export type ToolChoice =
  | { readonly type: "auto" }
  | { readonly type: "none" }
  | { readonly type: "required" }
  | { readonly type: "tool"; readonly toolName: string };

/** An answer that fits the schema, by the provider's own means (`capabilities.nativeSchema`). */
export interface ResponseFormat {
  readonly name: string;
  readonly description?: string;
  readonly schema: JsonObject;
  /** As a tool's. */
  readonly strict?: boolean;
}

/** One round's question to a model. */
export interface ModelRequest {
  /** The agent's name: `main`, or the name of a delegated agent. */
  readonly agent: string;
  readonly sessionId: string;
  /** The session's member name, where it has one. */
  readonly member?: string;
  readonly system?: string;
  /**
   * The transcript so far, as it is while the round runs; it may grow behind what was there once the round has ended, so
   * copy what you keep of it. The host's messages are frozen, and each is the same object in every request of its session in
   * one process: what was made of one is reused while it is that object, so freeze your own.
   */
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice;
  readonly responseFormat?: ResponseFormat;
  readonly maxOutputTokens?: number;
  /** Reads the bytes that messages name by `blob:`. Absent: no message names any. */
  readonly blobs?: BlobReader;
}

/** Reads kept bytes by their digest; undefined for what is kept no more. */
export interface BlobReader {
  get(digest: string): Promise<Uint8Array | undefined>;
}

/** Why a round ended: `tool_calls` whenever it holds calls, unless it was cut short or failed. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "error" | "other";

/** A call the model made; `input` is the argument text exactly as it came. */
export interface RequestedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: string;
}

/** What a round yields, in order; `finish` is the last and comes exactly once unless the round throws. */
export type ModelEvent =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  | { readonly type: "tool_call"; readonly call: RequestedCall }
  /** Attempt number `attempt` (the first retry is 2) starts after `delayMs`; nothing of the last one was shown. */
  | {
      readonly type: "retry";
      readonly attempt: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  | {
      readonly type: "finish";
      readonly finishReason: FinishReason;
      /** Summed over the attempts of this round, as far as the provider told. */
      readonly usage: TokenUsage;
      /** True for an answer that its reader stopped: its usage was not told to the end. */
      readonly stopped?: boolean;
      /** The row to store. */
      readonly message: AssistantMessage;
    };

/** What a model's provider is able to do; a starting point, since refusals teach more. */
export interface ModelCapabilities {
  /** The strongest tool choice it obeys: one named tool, any tool, or none at all. */
  readonly forcedChoice: "named" | "required" | "none";
  /** Whether `responseFormat` binds the answer. */
  readonly nativeSchema: boolean;
  /** The subset of JSON Schema that a typed answer is asked for in. Absent: its schema is sent as written. */
  readonly dialect?: DialectName | Dialect;
}

/** A piece of a call's arguments, as it comes. */
export interface InputPiece {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: string;
}

/** How a round is run. */
export interface RoundOptions {
  /** Aborting it closes the connection; the round then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Told each piece of a call's arguments while they come. `stop` closes the connection and finishes the round
   * (`stopped`) with the call as far as it came. Pieces are not shown to anyone, so a round that is lost after them
   * is still asked again; a `retry` event says that what came before counts no more.
   */
  readonly onInput?: (piece: InputPiece) => "continue" | "stop";
}

/** A model, whoever serves it: the one port through which the loop asks. */
export interface Model {
  readonly ref: ModelInfo;
  readonly capabilities: ModelCapabilities;
  /** Asks once. Throws `ModelError`, or the signal's reason. Leaving the loop early closes the connection. */
  round(request: ModelRequest, options?: RoundOptions): AsyncIterable<ModelEvent>;
}
