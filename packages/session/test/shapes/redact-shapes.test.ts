import { memoryStore, type TranscriptShape } from "@mobkit/session";
import { describe, expect, test } from "vitest";
import {
  anthropicShape,
  langChainShape,
  openAiChatShape,
  openAiResponsesShape,
} from "@mobkit/session/shapes";
import { betaTranscript, serverTranscript, toolTranscript } from "./anthropic-fixture.ts";
import {
  invalidTranscript,
  providerTranscript,
  serialised,
  stored,
  toolTranscript as langChainTools,
} from "./langchain-fixture.ts";
import { chatAnswers, chatTranscript, functionTranscript } from "./openai-chat-fixture.ts";
import {
  actionTranscript,
  executedOutput,
  programTranscript,
  responseTranscript,
} from "./openai-responses-fixture.ts";

type Transcript = readonly { readonly message: unknown }[];

const plain = (transcripts: readonly Transcript[]): unknown[][] =>
  transcripts.map((said) => said.map(({ message }) => JSON.parse(JSON.stringify(message)) as unknown));

const langChain = [langChainTools, invalidTranscript, providerTranscript].map((said) =>
  said.map(({ message }) => message),
);

const formats: readonly (readonly [string, TranscriptShape<never>, readonly (readonly unknown[])[]])[] = [
  ["Anthropic", anthropicShape, plain([toolTranscript, serverTranscript, betaTranscript])],
  ["OpenAI chat", openAiChatShape, plain([chatTranscript, functionTranscript, chatAnswers])],
  [
    "OpenAI responses",
    openAiResponsesShape,
    [...plain([responseTranscript, actionTranscript, programTranscript]), [executedOutput]],
  ],
  ["LangChain, stored", langChainShape, langChain.map(stored)],
  ["LangChain, serialised", langChainShape, langChain.map(serialised)],
];

/** What a provider takes back only as it made it. */
const sealed =
  /"(?:signature|encrypted_content|thinking|file_data)":"|base64,(?!iVBORw0KGgoAAAANSUhEUgAAAAEA)/;

// S32
describe.each(formats)("a redacted transcript of %s", (_, shape, transcripts) => {
  test("keeps kinds, calls and boundaries in a store, and is a transcript that the shape reads", async () => {
    for (const messages of transcripts) {
      const store = memoryStore({ shape });
      const { id } = await store.createSession({ member: "planner", role: "general" });
      const lease = await store.acquireLease(id, { owner: "test", ttlMs: 60_000 });
      for (const [rev, message] of messages.entries()) {
        await store.append(id, { lease, expectedRev: rev, messages: [message as never] });
      }
      const before = await all(store.read(id));
      await store.upkeep.redact({ sessionId: id, messageIds: before.map(({ id: messageId }) => messageId) });
      const after = await all(store.read(id));
      const facts = (rows: typeof after) =>
        rows.map(({ kind, openAfter, digest }) => ({ kind, openAfter, digest }));
      expect(facts(after)).toEqual(facts(before));
      for (const [at, { body }] of after.entries()) {
        expect(shape.inspect(body)).toEqual(shape.inspect(messages[at] as never));
        expect(shape.redact!(body)).toEqual(body);
      }
    }
  });

  test("holds nothing that was said, and nothing that its provider has sealed", () => {
    for (const message of transcripts.flat()) {
      const text = JSON.stringify(shape.redact!(message as never));
      expect(text).not.toMatch(sealed);
      for (const said of longTexts(message)) expect(text).not.toContain(JSON.stringify(said));
    }
  });
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Texts of a message that are something said: they have a space. */
function longTexts(value: unknown): string[] {
  if (typeof value === "string") return value.includes(" ") ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(longTexts) : [];
}

describe("what stands in", () => {
  test("for an image is a text, for thinking nothing, for a searched list an empty one", () => {
    const content = [
      { type: "thinking", thinking: "hm", signature: "s" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "q" } },
      { type: "web_search_tool_result", tool_use_id: "s1", content: [{ encrypted_content: "e" }] },
    ];
    expect(anthropicShape.redact!({ role: "assistant", content })).toEqual({
      role: "assistant",
      content: [
        { type: "text", text: "[redacted]" },
        { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
        { type: "web_search_tool_result", tool_use_id: "s1", content: [] },
      ],
    });
  });

  test("for arguments that were no JSON are empty ones, and a silent answer says that it is redacted", () => {
    const call = { id: "a", type: "function", function: { name: "look", arguments: "{broken" } };
    const asked = { role: "assistant", content: null, tool_calls: [call] } as const;
    expect(openAiChatShape.redact!(asked)).toEqual({
      ...asked,
      tool_calls: [{ ...call, function: { name: "look", arguments: "{}" } }],
    });
    const spoken = { role: "assistant", content: null, audio: { id: "audio_1" } } as const;
    expect(openAiChatShape.redact!(spoken)).toEqual({ role: "assistant", content: "[redacted]" });
  });

  test("for an item that is encrypted as a whole is something said", () => {
    const compaction = { type: "compaction", id: "c1", encrypted_content: "sealed" };
    const spoken = { role: "assistant", content: "[redacted]" };
    expect(openAiResponsesShape.redact!(compaction)).toEqual(spoken);
    expect(openAiResponsesShape.redact!([compaction])).toEqual([spoken]);
  });
});
