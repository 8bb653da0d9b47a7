import type { TranscriptShape } from "@mobkit/session";
import {
  anthropicShape,
  langChainShape,
  openAiChatShape,
  openAiResponsesShape,
} from "@mobkit/session/shapes";
import { describe, expect, test } from "vitest";
import { redactMessage } from "../src/redact-message.ts";
import { dialects } from "./shapes/dialects.ts";
import { betaTranscript, serverTranscript, toolTranscript } from "./shapes/anthropic-fixture.ts";
import { stored, toolTranscript as langChainTranscript } from "./shapes/langchain-fixture.ts";
import { chatTranscript, functionTranscript } from "./shapes/openai-chat-fixture.ts";
import { actionTranscript, responseTranscript } from "./shapes/openai-responses-fixture.ts";

type Fixture = readonly [name: string, shape: TranscriptShape<never>, messages: readonly unknown[]];

const messagesOf = (said: readonly { readonly message: unknown }[]): unknown[] =>
  said.map(({ message }) => JSON.parse(JSON.stringify(message)) as unknown);

const fixtures: readonly Fixture[] = [
  ["OpenAI chat", openAiChatShape, messagesOf([...chatTranscript, ...functionTranscript])],
  ["OpenAI responses", openAiResponsesShape, messagesOf([...responseTranscript, ...actionTranscript])],
  ["Anthropic", anthropicShape, messagesOf([...toolTranscript, ...serverTranscript, ...betaTranscript])],
  ["LangChain", langChainShape, [...stored(langChainTranscript.map(({ message }) => message))]],
];

// S32
describe.each(fixtures)("a message of %s", (_, shape, messages) => {
  test("keeps what it opens and closes when its texts go", () => {
    for (const message of messages) {
      const redacted = redactMessage(message);
      expect(shape.inspect(redacted as never)).toEqual(shape.inspect(message as never));
      expect(redactMessage(redacted)).toEqual(redacted);
    }
  });
});

// S32
test.each(dialects)("what was said to %s is nowhere in the redacted message", (_, { shape, say, ask }) => {
  const secret = "a very long secret";
  for (const kind of ["system", "user", "assistant"] as const) {
    const message = JSON.parse(JSON.stringify(say(kind, secret))) as unknown;
    expect(JSON.stringify(message)).toContain(secret);
    expect(JSON.stringify(redactMessage(message))).not.toContain(secret);
  }
  const call = JSON.parse(JSON.stringify(ask([{ id: "c1", what: "call" }]))) as unknown;
  expect(shape.inspect(redactMessage(call) as never)).toEqual(shape.inspect(call as never));
});

test("arguments that are JSON stay JSON, ids and names stay, texts go", () => {
  const message = {
    role: "assistant",
    content: "said",
    tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"path":"secret"}' } }],
    refusal: null,
    n: 1,
  };
  expect(redactMessage(message)).toEqual({
    role: "assistant",
    content: "[redacted]",
    tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }],
    refusal: null,
    n: 1,
  });
});
