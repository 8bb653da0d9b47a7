import { expect, test, vi } from "vitest";
import type { Model, ModelEvent, RoundOptions } from "../../src/providers/model.ts";
import { textOutcome, type Tool } from "../../src/tools/tool.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { openTestHost } from "../harness/test-host.ts";

const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };

/** Calls the probe once and answers; `seen` is given how each round is run. */
function model(seen: (options: RoundOptions | undefined) => void = () => undefined): Model {
  const call = { type: "tool-call", toolCallId: "c1", toolName: "probe", input: {} } as const;
  return {
    ref: { provider: "scripted", id: "own" },
    capabilities: { forcedChoice: "named", nativeSchema: false },
    async *round({ messages }, options): AsyncGenerator<ModelEvent> {
      seen(options);
      const isCalled = messages.at(-1)!.role === "tool";
      const content = isCalled ? [{ type: "text", text: "done" } as const] : [call];
      const message = { role: "assistant", content } as const;
      yield { type: "finish", finishReason: isCalled ? "stop" : "tool_calls", usage, message };
    },
  };
}

function countSignals(): () => number {
  let made = 0;
  const Plain = AbortController;
  vi.stubGlobal(
    "AbortController",
    class extends Plain {
      constructor() {
        super();
        made += 1;
      }
    },
  );
  return () => made;
}

async function turnWith(execute: Tool["execute"], own: Model): Promise<number> {
  const interceptors = [{ name: "guard", intercept: () => ({ decision: "allow" }) as const }];
  const tools = [{ ...probeTool("probe"), execute }];
  const host = await openTestHost({ model: own, interceptors, tools });
  const prepared = await host.runtime.prepare(host.facts);
  const made = countSignals();
  try {
    expect((await prepared.run("go")).outcome).toBe("completed");
    return made();
  } finally {
    vi.unstubAllGlobals();
  }
}

test("a turn makes no signal that nobody reads, and one for all who do", async () => {
  expect(await turnWith(async () => textOutcome("ran"), model())).toBe(0);
  const readers: (AbortSignal | undefined)[] = [];
  const reading: Tool["execute"] = async (_input, { signal }) => {
    readers.push(signal);
    return textOutcome("ran");
  };
  // A copy of how the round is run has the signal, too.
  const copying = model((options) => readers.push({ ...options }.signal));
  expect(await turnWith(reading, copying)).toBe(1);
  expect(readers.map((signal) => signal === readers[0])).toEqual([true, true, true]);
});
