import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { RoundRecord } from "../../src/providers/round-record.ts";
import { toTokenUsage, usageInRawEvent } from "../../src/providers/token-usage.ts";

function record(...parts: readonly unknown[]): { content: unknown; events: unknown[] } {
  const round = new RoundRecord();
  const events = parts.map((part) => round.take(part as LanguageModelV3StreamPart)).filter(Boolean);
  return { content: round.message().content, events };
}

const call = (input: string): unknown => ({ type: "tool-call", toolCallId: "c", toolName: "read", input });

describe("a recorded round", () => {
  test("keeps blocks in the order in which they began, however their pieces interleave", () => {
    const { content, events } = record(
      { type: "reasoning-start", id: "1" },
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "b" },
      { type: "reasoning-delta", id: "1", delta: "a" },
      { type: "text-end", id: "1" },
      { type: "reasoning-end", id: "1" },
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "c" },
    );
    expect(content).toEqual([
      { type: "reasoning", text: "a" },
      { type: "text", text: "b" },
      { type: "text", text: "c" },
    ]);
    expect(events).toEqual([
      { type: "text", delta: "b" },
      { type: "reasoning", delta: "a" },
      { type: "text", delta: "c" },
    ]);
  });

  test("merges what the provider tells of a block; the later fact stands", () => {
    const { content } = record(
      { type: "reasoning-start", id: "r", providerMetadata: { openai: { itemId: "i", encrypted: null } } },
      { type: "reasoning-end", id: "r", providerMetadata: { openai: { encrypted: "x" } } },
    );
    expect(content).toEqual([
      { type: "reasoning", text: "", providerOptions: { openai: { itemId: "i", encrypted: "x" } } },
    ]);
  });

  test("drops blocks that hold nothing", () => {
    expect(record({ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "" })).toEqual({
      content: [],
      events: [],
    });
  });

  test.each([
    ['{"path":"a"}', { path: "a" }],
    ['{"path":"a"', '{"path":"a"'],
    ['{"a":1,"a":2}', '{"a":1,"a":2}'],
    ['{"__proto__":{}}', '{"__proto__":{}}'],
    ["[1]", [1]],
  ])("stores the arguments %s as parsed strictly, or as they stand, and shows the text", (input, stored) => {
    const { content, events } = record(call(input));
    expect(content).toEqual([{ type: "tool-call", toolCallId: "c", toolName: "read", input: stored }]);
    expect(events).toEqual([{ type: "tool_call", call: { toolCallId: "c", toolName: "read", input } }]);
  });

  test("takes no arguments at all for an empty object", () => {
    expect(record(call("")).events).toMatchObject([{ call: { input: "{}" } }]);
  });

  test("keeps files as base64 or address, from either interface version", () => {
    const { content } = record(
      { type: "file", mediaType: "image/png", data: new Uint8Array([1, 2]) },
      { type: "file", mediaType: "image/png", data: "AQI=" },
      { type: "file", mediaType: "image/png", data: { type: "url", url: new URL("https://x.test/a") } },
    );
    expect((content as { data: string }[]).map((part) => part.data)).toEqual([
      "AQI=",
      "AQI=",
      "https://x.test/a",
    ]);
  });

  // S15
  test.each([
    { ...(call("{}") as object), providerExecuted: true },
    { type: "tool-input-start", id: "c", toolName: "read", providerExecuted: true },
    { type: "tool-result", toolCallId: "c", toolName: "read", result: 1 },
    { type: "tool-approval-request", approvalId: "a", toolCallId: "c" },
  ])("refuses what the provider ran itself: %j", (part) => {
    expect(() => record(part)).toThrow(expect.objectContaining({ code: "provider_executed_tool" }));
  });

  test("passes over parts that it does not know", () => {
    expect(record({ type: "source", id: "s" }, { type: "something-new" })).toEqual({
      content: [],
      events: [],
    });
  });
});

describe("finish reasons and tokens", () => {
  test("are named in the host's way", () => {
    const reasons = ["stop", "length", "tool-calls", "content-filter", "error", "other", "new"];
    const record = new RoundRecord();
    expect(reasons.map((reason) => record.finishReason(reason))).toEqual([
      "stop",
      "length",
      "tool_calls",
      "content_filter",
      "error",
      "other",
      "other",
    ]);
  });

  test("say tool_calls of a round with calls, unless it was cut short", () => {
    const record = new RoundRecord();
    record.take(call("{}") as LanguageModelV3StreamPart);
    const reasons = ["stop", "other", "length", "content-filter"].map((reason) =>
      record.finishReason(reason),
    );
    expect(reasons).toEqual(["tool_calls", "tool_calls", "length", "content_filter"]);
  });

  test("count what is told and nothing else", () => {
    const nothing = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
    const output = { total: 5, text: 3, reasoning: 2 };
    expect(toTokenUsage({ inputTokens: nothing, outputTokens: output })).toEqual({
      inputTokens: 0,
      outputTokens: 5,
      cachedInputTokens: 0,
      reasoningTokens: 2,
    });
    const parts = { total: undefined, noCache: 4, cacheRead: 2, cacheWrite: 1 };
    expect(toTokenUsage({ inputTokens: parts, outputTokens: output })).toMatchObject({ inputTokens: 7 });
  });

  test.each([
    [
      {
        type: "message_start",
        message: { usage: { input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 1 } },
      },
      { inputTokens: 7, cachedInputTokens: 4, outputTokens: 1 },
    ],
    [{ type: "message_delta", usage: { output_tokens: 9 } }, { outputTokens: 9 }],
    [
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
      { inputTokens: 3, outputTokens: 4 },
    ],
    [{ response: { usage: { input_tokens: 3, output_tokens: 4 } } }, { inputTokens: 3, outputTokens: 4 }],
    [
      { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4 } },
      { inputTokens: 3, outputTokens: 4 },
    ],
    [{ usage: null }, undefined],
    ["[DONE]", undefined],
  ])("are read from the raw event %j", (raw, usage) => {
    expect(usageInRawEvent(raw)).toEqual(usage);
  });
});
