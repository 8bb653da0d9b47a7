import type { JsonObject, TokenUsage } from "@basis/core";
import type { FinishReason, ModelCapabilities, ModelEvent, ModelMessage } from "../model.ts";
import type { ModelErrorCode } from "../model-error.ts";
import type { RequestHead } from "./recorded-request.ts";

/** A model that was recorded. */
export type RecordedModel = {
  readonly provider: string;
  readonly id: string;
  readonly contextWindow?: number;
  readonly capabilities: ModelCapabilities;
};

/** The first line of a cassette. */
export type CassetteLine = {
  readonly cassette: 1;
  readonly version: string;
  readonly main: { readonly provider: string; readonly id: string };
  readonly models: readonly RecordedModel[];
};

/** A message of a request; written once, before the first round that it stands in. */
export type MessageLine = { readonly message: string; readonly body: ModelMessage };

/** What stood before the messages of a request; written once. */
export type HeadLine = { readonly head: string } & RequestHead;

/** What a model said in a round, without the retries before it. */
export type RecordedEvent = Exclude<ModelEvent, { type: "retry" }>;

/** A round that failed, and will fail so again. */
export type RecordedError = {
  readonly code: ModelErrorCode;
  readonly details: JsonObject;
  readonly message: string;
  readonly usage?: TokenUsage;
};

/** One round: its request, and what was answered. */
export type RoundLine = {
  readonly round: number;
  /** Rounds of one session have one number, in the order in which sessions first asked. */
  readonly stream: number;
  readonly key: string;
  readonly head: string;
  /** How many messages it shares with the round before it in its stream. */
  readonly kept: number;
  /** The digests of those behind them. */
  readonly messages: readonly string[];
  readonly asks: JsonObject;
  readonly events: readonly RecordedEvent[];
  readonly error?: RecordedError;
};

/** The codes of rounds that are recorded as failed: those that a provider, or the way to it, brings about. */
export const recordedCodes: readonly ModelErrorCode[] = [
  "rate_limited",
  "overloaded",
  "server_error",
  "quota_exceeded",
  "auth",
  "not_found",
  "bad_request",
  "timeout",
  "network",
  "stream_error",
  "provider_executed_tool",
];

const finishReasons: readonly FinishReason[] = [
  "stop",
  "length",
  "tool_calls",
  "content_filter",
  "error",
  "other",
];

const text: JsonObject = { type: "string", minLength: 1 };
const words: JsonObject = { type: "string" };
const count: JsonObject = { type: "integer", minimum: 0 };
const model: JsonObject = {
  type: "object",
  required: ["provider", "id"],
  additionalProperties: false,
  properties: { provider: text, id: text },
};
const usage: JsonObject = {
  type: "object",
  required: ["inputTokens", "outputTokens"],
  properties: {
    inputTokens: count,
    outputTokens: count,
    cachedInputTokens: count,
    reasoningTokens: count,
  },
};

/** The schemas of the lines, by the member that tells which line it is. */
export const lineSchemas: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  [
    "cassette",
    {
      type: "object",
      required: ["cassette", "version", "main", "models"],
      additionalProperties: false,
      properties: {
        cassette: { const: 1 },
        version: words,
        main: model,
        models: {
          type: "array",
          items: {
            type: "object",
            required: ["provider", "id", "capabilities"],
            additionalProperties: false,
            properties: {
              provider: text,
              id: text,
              contextWindow: count,
              capabilities: {
                type: "object",
                required: ["forcedChoice", "nativeSchema"],
                additionalProperties: false,
                properties: {
                  forcedChoice: { enum: ["named", "required", "none"] },
                  nativeSchema: { type: "boolean" },
                },
              },
            },
          },
        },
      },
    },
  ],
  [
    "message",
    {
      type: "object",
      required: ["message", "body"],
      additionalProperties: false,
      properties: {
        message: text,
        body: {
          type: "object",
          required: ["role", "content"],
          properties: { role: { enum: ["system", "user", "assistant", "tool"] } },
        },
      },
    },
  ],
  [
    "head",
    {
      type: "object",
      required: ["head", "agent", "model", "system", "tools"],
      additionalProperties: false,
      properties: {
        head: text,
        agent: text,
        model,
        system: words,
        tools: { type: "array", items: { type: "object", required: ["name"], properties: { name: text } } },
      },
    },
  ],
  [
    "round",
    {
      type: "object",
      required: ["round", "stream", "key", "head", "kept", "messages", "asks", "events"],
      additionalProperties: false,
      properties: {
        round: count,
        stream: count,
        key: text,
        head: text,
        kept: count,
        messages: { type: "array", items: text },
        asks: { type: "object" },
        events: {
          type: "array",
          items: {
            type: "object",
            required: ["type"],
            properties: {
              type: { enum: ["text", "reasoning", "tool_call", "finish"] },
              delta: words,
              finishReason: { enum: [...finishReasons] },
              usage,
              message: {
                type: "object",
                required: ["role", "content"],
                properties: { role: { const: "assistant" } },
              },
              call: {
                type: "object",
                required: ["toolCallId", "toolName", "input"],
                properties: { toolCallId: text, toolName: text, input: words },
              },
            },
          },
        },
        error: {
          type: "object",
          required: ["code", "message", "details"],
          additionalProperties: false,
          properties: {
            code: { enum: [...recordedCodes] },
            message: words,
            details: { type: "object" },
            usage,
          },
        },
      },
    },
  ],
]);
