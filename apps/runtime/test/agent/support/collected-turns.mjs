// Plays turns in memory and prints how many bytes outlive the collector's short runs, and how many its full ones.
// Node's flags: --expose-gc. Arguments: an empty directory, how many turns.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createRuntime, memoryState, openWorkspaceFacts } from "../../../dist/index.js";

const [base, turns] = process.argv.slice(2);
const [directory, configDir] = ["workspace", "config"].map((name) => join(base, name));
for (const each of [directory, configDir]) mkdirSync(each);
const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
const call = { type: "tool-call", toolCallId: "c1", toolName: "probe", input: {} };

/** Calls the probe once and answers. */
const main = {
  ref: { provider: "scripted", id: "own" },
  capabilities: { forcedChoice: "named", nativeSchema: false },
  async *round({ messages }) {
    const isCalled = messages.at(-1).role === "tool";
    const content = isCalled ? [{ type: "text", text: "done" }] : [call];
    const message = { role: "assistant", content };
    yield { type: "finish", finishReason: isCalled ? "stop" : "tool_calls", usage, message };
  },
};
const probe = {
  name: "probe",
  description: "Does nothing.",
  inputSchema: { type: "object", additionalProperties: false },
  effect: "write",
  level: "local_state",
  source: "declared",
  parallelSafe: () => false,
  execute: async () => ({ output: { type: "text", value: "ran" }, isError: false }),
};
const opened = await openWorkspaceFacts({
  directory,
  configDir,
  env: process.env,
  interceptors: [{ name: "guard", intercept: () => ({ decision: "allow" }) }],
  report: () => undefined,
});
const facts = { ...opened, tools: new Map([[probe.name, probe]]) };
const runtime = createRuntime({
  state: memoryState(),
  models: { main, open: () => main, isRegistered: () => true },
  approver: { name: "the operator", approve: () => ({ decision: "allow" }) },
});
const outcomes = new Set();
const play = async (count) => {
  for (let turn = 0; turn < count; turn += 1)
    outcomes.add((await (await runtime.prepare(facts)).run("go")).outcome);
};
const heapAfter = (kind) => {
  for (let run = 0; run < 2; run += 1) void globalThis.gc(kind === "short" ? { type: "minor" } : undefined);
  return process.memoryUsage().heapUsed;
};

await play(turns / 2);
const before = heapAfter("full");
await play(Number(turns));
const short = heapAfter("short") - before;
const full = heapAfter("full") - before;
process.stdout.write(JSON.stringify({ outcomes: [...outcomes], short, full }));
await facts.close();
await runtime.close();
