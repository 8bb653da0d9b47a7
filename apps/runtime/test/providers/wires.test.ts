import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Model, ModelMessage } from "../../src/providers/model.ts";
import { openModel } from "../../src/providers/open-model.ts";
import type { ProviderKind } from "../../src/providers/provider-settings.ts";
import { hurriedClock, ofType, requestOf, runRound } from "./rounds.ts";

const mock = new LLMock({ port: 0 });

beforeAll(() => mock.start());
afterAll(() => mock.stop());
beforeEach(() => {
  mock.clearFixtures();
  mock.clearRequests();
  mock.resetMatchCounts();
});

const wires: readonly { kind: ProviderKind; path: string; model: string }[] = [
  { kind: "anthropic", path: "/v1", model: "claude-sonnet-4-5" },
  { kind: "openai", path: "/v1", model: "gpt-4.1" },
  { kind: "openai-chat", path: "/v1", model: "gpt-4.1" },
  { kind: "openai-compatible", path: "/v1", model: "llama-3.3" },
  { kind: "google", path: "/v1beta", model: "gemini-2.5-flash" },
];

function open(wire: (typeof wires)[number]): Model {
  return openModel(`wire/${wire.model}`, {
    env: { WIRE_API_KEY: "test-key" },
    providers: { wire: { kind: wire.kind, baseUrl: `${mock.url}${wire.path}`, keyVariable: "WIRE_API_KEY" } },
    clock: hurriedClock,
    random: () => 0,
  });
}

const tools = ["read", "list"].map((name) => ({
  name,
  description: `${name} something`,
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
}));

describe.each(wires)("over the $kind wire", (wire) => {
  test("text streams in pieces and ends as one row with its usage", async () => {
    const usage = { prompt_tokens: 40, completion_tokens: 7, input_tokens: 40, output_tokens: 7 };
    mock.onMessage("hello", { content: "The folder holds three packages.", usage }, { chunkSize: 8 });
    const { events, error } = await runRound(open(wire), requestOf({ system: "Be brief." }));
    expect(error).toBeUndefined();
    const pieces = ofType(events, "text").map((event) => event.delta);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join("")).toBe("The folder holds three packages.");
    const [finish] = ofType(events, "finish");
    expect(events.at(-1)).toBe(finish);
    expect(finish?.finishReason).toBe("stop");
    expect(finish?.message.content).toMatchObject([
      { type: "text", text: "The folder holds three packages." },
    ]);
    expect(finish?.usage).toMatchObject({ inputTokens: 40, outputTokens: 7 });
  });

  test("parallel calls keep their order, their ids and their argument text", async () => {
    const raw = '{"path":"README.md"}';
    mock.onMessage("hello", {
      toolCalls: [
        { id: "call_a", name: "read", arguments: raw },
        { id: "call_b", name: "list", arguments: '{"path":"."}' },
      ],
    });
    const { events, error } = await runRound(open(wire), requestOf({ tools }));
    expect(error).toBeUndefined();
    expect(ofType(events, "tool_call").map((event) => event.call)).toEqual([
      { toolCallId: "call_a", toolName: "read", input: raw },
      { toolCallId: "call_b", toolName: "list", input: '{"path":"."}' },
    ]);
    const [finish] = ofType(events, "finish");
    expect(finish?.finishReason).toBe("tool_calls");
    expect(finish?.message.content).toMatchObject([
      { type: "tool-call", toolCallId: "call_a", toolName: "read", input: { path: "README.md" } },
      { type: "tool-call", toolCallId: "call_b", toolName: "list", input: { path: "." } },
    ]);
  });

  test("results go back, one row each, and the model goes on", async () => {
    mock.onMessage("hello", { content: "Both read." });
    const messages: ModelMessage[] = [
      { role: "user", content: "hello" },
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "call_a", toolName: "read", input: { path: "a" } },
          { type: "tool-call", toolCallId: "call_b", toolName: "read", input: "not json" },
        ],
      },
      ...(["call_a", "call_b"] as const).map((toolCallId): ModelMessage => ({
        role: "tool",
        content: [
          { type: "tool-result", toolCallId, toolName: "read", output: { type: "text", value: toolCallId } },
        ],
      })),
    ];
    const { events, error } = await runRound(open(wire), requestOf({ messages, tools }));
    expect(error).toBeUndefined();
    expect(ofType(events, "finish")[0]?.message.content).toMatchObject([{ text: "Both read." }]);
  });

  test("a rate limit waits as long as Retry-After says and then succeeds", async () => {
    mock.on(
      { userMessage: "hello", sequenceIndex: 0 },
      { error: { message: "slow down", type: "rate_limit_error" }, status: 429, retryAfter: 2 },
    );
    mock.onMessage("hello", { content: "Now." });
    const { events, error } = await runRound(open(wire), requestOf());
    expect(error).toBeUndefined();
    expect(ofType(events, "retry")).toMatchObject([{ attempt: 2, delayMs: 2000 }]);
    expect(
      ofType(events, "text")
        .map((event) => event.delta)
        .join(""),
    ).toBe("Now.");
  });

  test("a wrong key is an auth error, asked once", async () => {
    mock.onMessage("hello", {
      error: { message: "invalid key test-key", type: "authentication_error" },
      status: 401,
    });
    const { events, error } = await runRound(open(wire), requestOf());
    expect(events).toEqual([]);
    expect(error).toMatchObject({ code: "auth", retryable: false, details: { status: 401 } });
    expect((error as Error).message).not.toContain("test-key");
    expect(mock.getRequests()).toHaveLength(1);
  });

  test("a connection lost after visible text is an error, and is not asked again", async () => {
    mock.onMessage(
      "hello",
      { content: "A long answer that never ends." },
      { chunkSize: 4, truncateAfterChunks: 7, latency: 10 },
    );
    const { events, error } = await runRound(open(wire), requestOf());
    expect(ofType(events, "text").length).toBeGreaterThan(0);
    expect(ofType(events, "finish")).toEqual([]);
    expect(["network", "stream_error"]).toContain((error as { code: string }).code);
    expect(mock.getRequests()).toHaveLength(1);
  });

  test("no request carries a sampling parameter", async () => {
    mock.onMessage("hello", { content: "Yes." });
    await runRound(open(wire), requestOf());
    const body = JSON.stringify(mock.getLastRequest()?.body);
    for (const name of ["temperature", "top_p", "top_k", "seed"]) expect(body).not.toContain(`"${name}"`);
  });
});
