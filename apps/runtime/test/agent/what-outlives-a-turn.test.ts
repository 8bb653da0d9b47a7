import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { Model, ModelEvent } from "../../src/providers/model.ts";
import { textOutcome } from "../../src/tools/tool.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { openTestHost } from "../harness/test-host.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (how?: { readonly type: "minor" }) => void;

const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
const call = { type: "tool-call", toolCallId: "c1", toolName: "probe", input: {} } as const;

/** Calls the probe once and answers. */
const model: Model = {
  ref: { provider: "scripted", id: "own" },
  capabilities: { forcedChoice: "named", nativeSchema: false },
  async *round({ messages }): AsyncGenerator<ModelEvent> {
    const isCalled = messages.at(-1)!.role === "tool";
    const content = isCalled ? [{ type: "text", text: "done" } as const] : [call];
    yield {
      type: "finish",
      finishReason: isCalled ? "stop" : "tool_calls",
      usage,
      message: { role: "assistant", content },
    };
  },
};

function heapAfter(...collections: readonly ("minor" | "full")[]): number {
  for (const each of collections) collect(each === "minor" ? { type: each } : undefined);
  return process.memoryUsage().heapUsed;
}

test("little but rows and events outlives the collector's short runs", async () => {
  const interceptors = [{ name: "guard", intercept: () => ({ decision: "allow" }) as const }];
  const tools = [{ ...probeTool("probe"), execute: async () => textOutcome("ran") }];
  const host = await openTestHost({ model, interceptors, tools });
  const play = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) await (await host.runtime.prepare(host.facts)).run("go");
  };
  await play(500);
  const before = heapAfter("full", "full");
  await play(1000);
  const short = heapAfter("minor", "minor") - before;
  const kept = heapAfter("full", "full") - before;
  // 1.25; where a call's context reaches the run from among the old it is 1.7, with transcripts in tables of old 1.31.
  expect(short / kept).toBeLessThan(1.3);
});
