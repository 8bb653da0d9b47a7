import { afterEach, describe, expect, test } from "vitest";
import type { Model, ModelMessage } from "../../src/providers/model.ts";
import { openModel } from "../../src/providers/open-model.ts";
import type { ProviderKind } from "../../src/providers/provider-settings.ts";
import { png } from "../harness/pictures.ts";
import { ofType, requestOf, runRound, said } from "./rounds.ts";
import {
  addToBlock,
  anthropicEvent,
  anthropicText,
  endBlock,
  endMessage,
  messageStart,
  refusal,
  startBlock,
  startStream,
  WireServer,
  type WireAnswer,
} from "./wire-server.ts";

const servers: WireServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(kind: ProviderKind, answer: WireAnswer): Promise<{ model: Model; server: WireServer }> {
  const server = new WireServer(answer);
  servers.push(server);
  const baseUrl = await server.listen();
  const providers = { wire: { kind, baseUrl, keyVariable: "WIRE_API_KEY" } };
  return { model: openModel("wire/gpt-5", { env: { WIRE_API_KEY: "test-key" }, providers }), server };
}

function blocks(write: (response: Parameters<WireAnswer>[0]) => void): WireAnswer {
  return (response) => {
    startStream(response);
    anthropicEvent(response, messageStart);
    write(response);
    endMessage(response, "tool_use");
  };
}

describe("S15: a call that the provider ran itself", () => {
  const searched = blocks((response) => {
    startBlock(response, 0, { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} });
    addToBlock(response, 0, { type: "input_json_delta", partial_json: '{"query":"x"}' });
    endBlock(response, 0);
  });

  test("fails the round, which is not asked again", async () => {
    const { model, server } = await serve("anthropic", searched);
    const { events, error } = await runRound(model, requestOf());
    expect(events).toEqual([]);
    expect(error).toMatchObject({
      code: "provider_executed_tool",
      retryable: false,
      details: { toolName: "web_search" },
    });
    expect(server.requests).toHaveLength(1);
  });

  test("is told from a call that the host is to run", async () => {
    const { model } = await serve(
      "anthropic",
      blocks((response) => {
        startBlock(response, 0, { type: "tool_use", id: "call_1", name: "web_search", input: {} });
        addToBlock(response, 0, { type: "input_json_delta", partial_json: '{"query": "x",  "n":1e1}' });
        endBlock(response, 0);
      }),
    );
    const { events, error } = await runRound(model, requestOf());
    expect(error).toBeUndefined();
    expect(ofType(events, "tool_call")[0]?.call.input).toBe('{"query": "x",  "n":1e1}');
  });
});

describe("what the provider wants back", () => {
  test("a thinking block keeps its signature and goes back with it", async () => {
    const { model, server } = await serve(
      "anthropic",
      blocks((response) => {
        startBlock(response, 0, { type: "thinking", thinking: "" });
        addToBlock(response, 0, { type: "thinking_delta", thinking: "Let me see." });
        addToBlock(response, 0, { type: "signature_delta", signature: "sig-1" });
        endBlock(response, 0);
        startBlock(response, 1, { type: "tool_use", id: "call_1", name: "read", input: {} });
        endBlock(response, 1);
      }),
    );
    const { events } = await runRound(model, requestOf());
    expect(ofType(events, "reasoning").map((event) => event.delta)).toEqual(["Let me see."]);
    const row = ofType(events, "finish")[0]?.message as ModelMessage;
    expect(row.content).toEqual([
      { type: "reasoning", text: "Let me see.", providerOptions: { anthropic: { signature: "sig-1" } } },
      { type: "tool-call", toolCallId: "call_1", toolName: "read", input: {} },
    ]);
    const answered: ModelMessage = {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "call_1",
          toolName: "read",
          output: { type: "error-text", value: "no" },
        },
      ],
    };
    await runRound(model, requestOf({ messages: [{ role: "user", content: "hello" }, row, answered] }));
    expect(server.requests[1]?.body).toContain('"thinking":"Let me see.","signature":"sig-1"');
    expect(server.requests[1]?.body).toContain('"is_error":true');
  });

  test("OpenAI is asked to store nothing and to hand its reasoning over", async () => {
    const { model, server } = await serve("openai", refusal(400, { error: { message: "stop here" } }));
    await runRound(model, requestOf());
    expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({
      store: false,
      include: ["reasoning.encrypted_content"],
    });
  });
});

describe("a forced choice, a schema and a limit", () => {
  const output = {
    name: "basis_output_report_1",
    description: "The answer.",
    inputSchema: { type: "object" },
  };

  test("reach Anthropic in its own words", async () => {
    const { model, server } = await serve("anthropic", anthropicText("ok"));
    const toolChoice = { type: "tool", toolName: output.name } as const;
    await runRound(model, requestOf({ tools: [output], toolChoice, maxOutputTokens: 77 }));
    expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({
      max_tokens: 77,
      tool_choice: { type: "tool", name: output.name },
      tools: [{ name: output.name, description: "The answer." }],
    });
  });

  test("reach OpenAI in its own words", async () => {
    const { model, server } = await serve("openai", refusal(400, { error: { message: "stop here" } }));
    const schema = { type: "object", properties: { ok: { type: "boolean" } } };
    await runRound(model, requestOf({ responseFormat: { name: "report", schema } }));
    expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({
      text: { format: { type: "json_schema", name: "report", schema } },
    });
  });
});

// D38
describe.each(["anthropic", "openai", "openai-compatible"] as const)("over the %s wire", (kind) => {
  test("a fork's first request shares the parent's bytes up to the fork point", async () => {
    const { model, server } = await serve(kind, refusal(400, { error: { message: "stop here" } }));
    const shared: ModelMessage[] = [
      { role: "user", content: "Read the package." },
      said("It is small."),
      { role: "user", content: "the fork point" },
    ];
    const system = "Be brief.";
    await runRound(
      model,
      requestOf({ system, messages: [...shared, said("left"), { role: "user", content: "go" }] }),
    );
    await runRound(model, requestOf({ system, messages: structuredClone([...shared, said("right")]) }));
    const [parent = "", fork = ""] = server.requests.map((request) => request.body);
    const end = parent.indexOf("the fork point") + "the fork point".length;
    expect(end).toBeGreaterThan(100);
    expect(fork.slice(0, end)).toBe(parent.slice(0, end));
  });
});

const kinds: readonly ProviderKind[] = ["anthropic", "openai", "openai-chat", "google", "openai-compatible"];
describe.each(kinds)("images that %s is asked with", (kind) => {
  const call = { type: "tool-call", toolCallId: "c1", toolName: "look", input: {} } as const;
  const shown = (digest: string) => ({ data: `blob:sha256:${digest}`, mediaType: "image/png" });
  const messages: readonly ModelMessage[] = [
    {
      role: "user",
      content: [
        { type: "text", text: "see" },
        { type: "file", ...shown("kept") },
      ],
    },
    { role: "user", content: [{ type: "file", ...shown("gone") }] },
    { role: "assistant", content: [call] },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c1",
          toolName: "look",
          output: {
            type: "content",
            value: [
              { type: "text", text: "a picture" },
              { type: "image-data", ...shown("result") },
            ],
          },
        },
      ],
    },
  ];
  const pictures = new Map([
    ["sha256:kept", png("in a prompt")],
    ["sha256:result", png("in a result")],
  ]);

  test("are their bytes, read once; where a result takes none its text says so", async () => {
    const { model, server } = await serve(kind, refusal(400, { error: { message: "enough" } }));
    const read: string[] = [];
    const blobs = {
      async get(digest: string) {
        read.push(digest);
        return pictures.get(digest);
      },
    };
    const frozen = messages.map((message) => Object.freeze(message));
    for (let round = 0; round < 2; round += 1) await runRound(model, requestOf({ messages: frozen, blobs }));
    expect(read).toEqual(["sha256:kept", "sha256:gone", "sha256:result"]);
    const { body } = server.requests[0]!;
    expect(server.requests[1]!.body).toBe(body);
    expect(body).not.toContain("blob:");
    expect(body).toContain("[image/png: no longer kept]");
    const has = (digest: string): boolean => body.includes(pictures.get(digest)!.toString("base64"));
    const inResult = !["openai-chat", "openai-compatible"].includes(kind);
    expect([has("sha256:kept"), has("sha256:result")]).toEqual([true, inResult]);
    expect(body.includes("this provider takes no image in a result")).toBe(!inResult);
  });
});
