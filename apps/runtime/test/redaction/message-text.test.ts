import { modelMessageShape } from "@mobkit/session";
import { afterEach, describe, expect, test } from "vitest";
import { openModel } from "../../src/providers/open-model.ts";
import type { ModelMessage } from "../../src/providers/model.ts";
import type { ProviderKind } from "../../src/providers/provider-settings.ts";
import { messageWithoutTexts } from "../../src/redaction/message-text.ts";
import { formsOf } from "../../src/redaction/texts.ts";
import { requestOf, runRound } from "../providers/rounds.ts";
import { refusal, WireServer } from "../providers/wire-server.ts";

const SECRET = 'CANARY-7f3a "quoted"';
const signed = { anthropic: { signature: "sig" }, openai: { itemId: "rs_1" } };

/** Every kind of message and part with the secret in it. */
const transcript: readonly ModelMessage[] = [
  { role: "system", content: `rule: ${SECRET}` },
  { role: "user", content: `text ${SECRET}` },
  {
    role: "user",
    content: [
      { type: "text", text: SECRET, providerOptions: signed },
      { type: "file", data: `https://host/?key=${SECRET}`, mediaType: "image/png" },
      { type: "file", data: "aGk=", mediaType: "image/png", filename: `${SECRET}.png` },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: `I know ${SECRET}`, providerOptions: signed },
      { type: "text", text: `so ${SECRET}`, providerOptions: signed },
      { type: "tool-call", toolCallId: "c1", toolName: "write", input: { [SECRET]: { deep: [SECRET] } } },
      { type: "tool-call", toolCallId: "c2", toolName: "write", input: `not JSON ${SECRET}` },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "c1",
        toolName: "write",
        output: { type: "json", value: { text: JSON.stringify({ SECRET: SECRET }) } },
      },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "c2",
        toolName: "write",
        output: { type: "error-text", value: `no ${SECRET}` },
      },
    ],
  },
  { role: "assistant", content: [{ type: "reasoning", text: SECRET, providerOptions: signed }] },
  { role: "assistant", content: SECRET },
  { role: "user", content: "go on" },
];

const redacted = transcript.map((message) => messageWithoutTexts(message, formsOf([SECRET])));

describe("S32: a transcript without a text", () => {
  test("holds it nowhere, and opens and closes the same calls", () => {
    expect(JSON.stringify(redacted)).not.toContain("CANARY");
    const facts = (messages: readonly ModelMessage[]): unknown[] =>
      messages.map((message) => modelMessageShape.inspect(message as never));
    expect(facts(redacted)).toEqual(facts(transcript));
  });

  test("keeps what was said around it, and every message without it as the same object", () => {
    expect(redacted[1]).toEqual({ role: "user", content: "text [redacted]" });
    expect(redacted.at(-1)).toBe(transcript.at(-1));
    expect(redacted[3]!.content).toContainEqual({
      type: "tool-call",
      toolCallId: "c1",
      toolName: "write",
      input: { "[redacted]": { deep: ["[redacted]"] } },
    });
  });

  test("has no thought and no provider's own fact in a message that changed: they were of what was said", () => {
    expect(JSON.stringify(redacted)).not.toContain("sig");
    expect(JSON.stringify(redacted)).not.toContain("rs_1");
    expect(redacted[6]).toEqual({ role: "assistant", content: [{ type: "text", text: "[redacted]" }] });
  });

  test("of a text that is part of a call's id keeps the id, so that call and result still meet", () => {
    const kept = messageWithoutTexts(transcript[5]!, formsOf(["tool-result", "error-text", "write"]));
    expect(modelMessageShape.inspect(kept as never)).toEqual(
      modelMessageShape.inspect(transcript[5] as never),
    );
  });
});

// S32
test("what a tool shows goes where it is said, and an image that the store keeps stays", () => {
  const image = { type: "image-data", data: "blob:sha256:1", mediaType: "image/png" } as const;
  const message = (...value: readonly (typeof image | { type: "text"; text: string })[]): ModelMessage => ({
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "content", value } },
    ],
  });
  const shown = message({ type: "text", text: "a text" }, image);
  const forms = formsOf(["text", "value", "blob", "sha256", "image"]);
  expect(messageWithoutTexts(shown, forms)).toEqual(message({ type: "text", text: "a [redacted]" }, image));
  const seen: ModelMessage = {
    role: "user",
    content: [{ type: "file", data: "blob:sha256:1", mediaType: "image/png" }],
  };
  expect(messageWithoutTexts(seen, forms)).toBe(seen);
  const elsewhere = message({ ...image, data: "https://host/text" } as never);
  expect(messageWithoutTexts(elsewhere, forms)).toEqual(message({ type: "text", text: "[redacted]" }));
});

const servers: WireServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const kinds: readonly ProviderKind[] = ["anthropic", "openai", "google", "openai-compatible"];
test.each(kinds)("a redacted transcript is a request that %s's package sends", async (kind) => {
  const server = new WireServer(refusal(400, { error: { message: "enough" } }));
  servers.push(server);
  const baseUrl = await server.listen();
  const providers = { wire: { kind, baseUrl, keyVariable: "WIRE_API_KEY" } };
  const model = openModel("wire/some-model", { env: { WIRE_API_KEY: "test-key" }, providers });
  await runRound(model, requestOf({ messages: redacted.slice(1) }));
  expect(server.requests).toHaveLength(1);
  const { body } = server.requests[0]!;
  expect(body).not.toContain("CANARY");
  expect(body.match(/not JSON \[redacted\]/g)).toHaveLength(1);
});
