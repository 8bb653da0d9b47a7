import { getEventListeners } from "node:events";
import { readdirSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { createHookChain, type Participant } from "../src/index.ts";
import { sampleCall, scriptedHook } from "../src/testing/index.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const heapUsed = (): number => {
  collect();
  return process.memoryUsage().heapUsed;
};
const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
const descriptors = (): number => (process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0);

it("ten thousand calls leave memory, descriptors, listeners and timers as they were", async () => {
  const turn = new AbortController();
  const allow = { decision: "allow" } as const;
  const later = (): Promise<void> => new Promise((done) => void setImmediate(done));
  const participants: Participant[] = [
    { name: "at once", intercept: () => allow },
    { name: "soon", intercept: async () => allow },
    { name: "later", intercept: async () => later().then(() => allow) },
    { name: "listening", intercept: (_request, { signal }) => (signal.throwIfAborted(), allow) },
    { ...scriptedHook("broken", []), onFailure: "allow" },
    scriptedHook("elsewhere", [], { input: { "/path": "*.ts" } }),
    {
      kind: "hook",
      rank: "workspace",
      name: "writer",
      events: ["pre_tool_use"],
      intercept: () => ({ decision: "modify", input: { command: "x".repeat(1000) } }),
    },
    { name: "result", events: ["post_tool_use"], intercept: () => ({ decision: "replace", output: "y" }) },
  ];
  const chain = createHookChain({ workspace: "/w", participants, report: () => undefined });
  const result = { output: "x".repeat(1000), isError: false };
  const call = async (n: number): Promise<void> => {
    const facts = sampleCall({ toolCallId: `c${n}`, toolName: `tool ${n}` });
    expect((await chain.beforeCall(facts, { signal: turn.signal })).decision).toBe("modify");
    expect((await chain.afterCall(facts, result, { signal: turn.signal })).decision).toBe("replace");
  };
  const many = async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n += 50) await Promise.all(Array.from({ length: 50 }, (_, k) => call(n + k)));
  };
  await many(0, 2000);
  const before = { heap: heapUsed(), timers: timers(), descriptors: descriptors() };
  await many(2000, 12_000);
  expect(heapUsed() - before.heap).toBeLessThan(2 * 1024 * 1024);
  expect(timers()).toBeLessThanOrEqual(before.timers);
  expect(descriptors()).toBeLessThanOrEqual(before.descriptors);
  expect(getEventListeners(turn.signal, "abort")).toEqual([]);
  expect(chain.trail).toHaveLength(100);
}, 60_000);
