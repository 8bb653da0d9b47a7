import * as ai6 from "ai";
import { MockLanguageModelV3 } from "ai/test";
import * as ai7 from "ai-7";
import { MockLanguageModelV4 } from "ai-7/test";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openTurn } from "../../src/ai-sdk/index.ts";
import { isSessionError, memoryStore } from "../../src/index.ts";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const call = { type: "tool-call", toolCallId: "c1", toolName: "read", input: "{}" };
const text = (said: string) => ({ type: "text", text: said });
const reply = (part: { readonly type: string }) => ({
  content: [part],
  finishReason: { unified: part.type === "text" ? "stop" : "tool-calls" },
  usage,
  warnings: [],
});

const majors = [
  ["ai 6", ai6, MockLanguageModelV3],
  ["ai 7", ai7 as unknown as typeof ai6, MockLanguageModelV4 as unknown as typeof MockLanguageModelV3],
] as const;

describe.each(majors)("a turn of %s on a stored session", (_name, ai, Model) => {
  const tools = { read: { inputSchema: z.object({}), execute: async () => "text of it" } };
  const run = async (
    messages: readonly object[],
    parts: readonly { readonly type: string }[],
    more: object = {},
  ) => {
    const model = new Model({ doGenerate: parts.map(reply) } as never);
    const stopWhen = ({ steps }: { steps: unknown[] }) => steps.length > 3;
    return ai.generateText({ model, messages, tools, stopWhen, ...more } as never);
  };
  const sessionOf = async () => {
    const store = memoryStore();
    const { id } = await store.createSession({ member: "a", role: "general" });
    const rows = async () => {
      const kinds: string[] = [];
      for await (const row of store.read(id)) kinds.push(row.kind);
      return kinds;
    };
    return { store, id, rows };
  };

  it("commits the prompt at once and everything the run added, and the next turn goes on from it", async () => {
    const { store, id, rows } = await sessionOf();
    const first = await openTurn(store, id, { owner: "t", prompt: "Read it." });
    expect(await rows()).toEqual(["user"]);
    await first.save((await run(first.messages, [call, text("It says so.")])) as never);
    await first.close();
    expect(await rows()).toEqual(["user", "assistant", "tool", "assistant"]);
    const second = await openTurn(store, id, { owner: "t", prompt: "Sure?" });
    expect(second.messages).toHaveLength(5);
    await second.save((await run(second.messages, [text("Yes.")])) as never);
    await second.close();
    expect(await rows()).toHaveLength(6);
  });

  it("keeps a call that waits for a person, and goes on with the answer", async () => {
    const { store, id, rows } = await sessionOf();
    const asking = { tools: { read: { ...tools.read, needsApproval: true } } };
    const first = await openTurn(store, id, { owner: "t", prompt: "Read it." });
    const asked = await run(first.messages, [call], asking);
    await first.save(asked as never);
    await first.close();
    const early = await openTurn(store, id, { owner: "t", prompt: "And?" }).catch((error: unknown) => error);
    expect(isSessionError(early, "open_calls")).toBe(true);
    const part = asked.content.find(({ type }) => type === "tool-approval-request") as { approvalId: string };
    const yes = { type: "tool-approval-response", approvalId: part.approvalId, approved: true };
    const second = await openTurn(store, id, { owner: "t", prompt: [{ role: "tool", content: [yes] }] });
    await second.save((await run(second.messages, [text("done")], asking)) as never);
    await second.close();
    expect((await rows()).at(-1)).toBe("assistant");
  });

  it("is alone on its session, until it is closed", async () => {
    const { store, id } = await sessionOf();
    const turn = await openTurn(store, id, { owner: "one" });
    const other = await openTurn(store, id, { owner: "two" }).catch((error: unknown) => error);
    expect(isSessionError(other, "lease_held")).toBe(true);
    await turn.close();
    await turn.close();
    await expect(openTurn(store, id, { owner: "two" })).resolves.toBeDefined();
  });

  it("keeps a stream once it has ended", async () => {
    const { store, id, rows } = await sessionOf();
    const turn = await openTurn(store, id, { owner: "t", prompt: "Hi" });
    const chunks = [
      { type: "stream-start", warnings: [] },
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "Hello" },
      { type: "text-end", id: "1" },
      { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
    ];
    const stream = () =>
      new ReadableStream({ start: (to) => (chunks.forEach((chunk) => to.enqueue(chunk)), to.close()) });
    const model = new Model({ doStream: async () => ({ stream: stream() }) });
    const result = ai.streamText({ model, messages: turn.messages });
    await result.consumeStream();
    await turn.save(result);
    await turn.close();
    expect(await rows()).toEqual(["user", "assistant"]);
  });
});
