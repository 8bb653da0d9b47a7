import { expect, test } from "vitest";
import type { Model, ModelEvent, ModelMessage } from "../../src/providers/model.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { openTestHost } from "../harness/test-host.ts";

const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };

/** Calls a tool for a prompt and answers a result, and keeps what it was given as a careless adapter would. */
function keepingModel() {
  const lists: (readonly ModelMessage[])[] = [];
  const lengths: (readonly number[])[] = [];
  const model: Model = {
    ref: { provider: "kept", id: "kept" },
    capabilities: { forcedChoice: "named", nativeSchema: false },
    async *round({ messages }): AsyncGenerator<ModelEvent> {
      lists.push(messages);
      const before = messages.length;
      await new Promise((resolve) => void setImmediate(resolve));
      const call = { type: "tool-call", toolCallId: "c1", toolName: "probe", input: { value: "x" } } as const;
      const content = messages.at(-1)!.role === "user" ? call : ({ type: "text", text: "done" } as const);
      const message = { role: "assistant", content: [content] } as const;
      yield { type: "text", delta: "so" };
      lengths.push([before, messages.length]);
      yield { type: "finish", finishReason: "other", usage, message };
    },
  };
  return { lists, lengths, model };
}

test("a request's messages stay as they are while its round runs, and grow behind those that were there", async () => {
  const { lists, lengths, model } = keepingModel();
  const host = await openTestHost({ state: "memory", model, tools: [probeTool("probe")] });
  const { transcript } = await host.run("go");
  expect(lengths).toEqual([
    [1, 1],
    [3, 3],
  ]);
  const [first, second] = lists;
  const rows = await host.transcript(transcript!.sessionId);
  expect(first).toEqual(rows);
  expect(second!.slice(0, 3)).toEqual(rows.slice(0, 3));
});

test("a message is frozen, and the same object in every request of its session in this process", async () => {
  const { lists, lengths, model } = keepingModel();
  const host = await openTestHost({ state: "memory", model, tools: [probeTool("probe")] });
  const { transcript } = await host.run("go");
  const before = [...lists[0]!];
  await host.run("again", { sessionId: transcript!.sessionId });
  expect(lengths.at(-1)).toEqual([7, 7]);
  const later = lists.at(-1)!;
  expect(before).toHaveLength(4);
  for (const [index, message] of before.entries()) expect(later[index]).toBe(message);
  for (const message of later) expect([message, message.content].every(Object.isFrozen)).toBe(true);
});

test("every turn of an agent shows its model the same list of tools, which nobody can change", async () => {
  const host = await openTestHost({ agents: { main: [{ text: "done" }] }, tools: [probeTool("probe")] });
  await host.run("go");
  await host.run("go");
  const [first, second] = host.models.requests;
  expect(second!.tools).toBe(first!.tools);
  expect(first!.tools.map(({ name }) => name)).toContain("probe");
  expect([Object.isFrozen(first!.tools), first!.tools.every(Object.isFrozen)]).toEqual([true, true]);
});
