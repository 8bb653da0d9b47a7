import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { own } from "../../harness/places.mjs";
import {
  ANSWER,
  FILE,
  INPUT,
  INPUT_JSON,
  INPUT_SCHEMA,
  isAllowed,
  PROMPT,
  subjectOf,
  TOOL,
  USAGE,
} from "./scene.mjs";

/** Turns that one host keeps in memory before the next takes its place: under 100 MB. */
const TURNS_OF_A_HOST = 5000;

/**
 * Our runtime: one interceptor, ajv, a call that needs approval, intent row, events.
 * @param variant `{ state: "memory" | "sqlite", traced?: boolean }` `traced`: spans are recorded and thrown away.
 */
export async function open({ state: kind, traced = false }, { work }) {
  if (traced) await registerTracer();
  const { createRuntime, memoryState, openState, openWorkspaceFacts } = await own(
    "apps/runtime/dist/index.js",
  );
  const { allowAll } = await own("packages/approval/dist/index.js");
  const home = join(work, `turn-${kind}-${process.pid}`);
  for (const folder of ["workspace", "config", "data"]) mkdirSync(join(home, folder), { recursive: true });
  const facts = await openWorkspaceFacts({
    directory: join(home, "workspace"),
    configDir: join(home, "config"),
    env: process.env,
    interceptors: [{ name: "guard", intercept: judge }],
    report: () => undefined,
  });
  let calls = 0;
  let renewedAt = 0;
  const tool = readTool(() => (calls += 1));
  const workspace = { ...facts, tools: new Map([[tool.name, tool]]) };
  let last;
  const openRuntime = async () => {
    const state = kind === "sqlite" ? await openState(join(home, "data")) : memoryState();
    state.events.listen((event) => {
      if (event.type === "assistant_message") last = event.data.text;
    });
    return createRuntime({ state, models: instantModels(), approver: allowAll });
  };
  let runtime = await openRuntime();
  const prepare = () => runtime.prepare(workspace);
  const turn = async (run) => {
    const { outcome } = await run.run(PROMPT);
    return outcome === "completed" ? last : outcome;
  };
  // What is kept in memory is never let go of; on disk it does not weigh on later turns. A new host's first turns run
  // code that was made for the last one, so that it is made new after many turns only, as no host is for a few.
  const renew = async () => {
    if (kind !== "memory" || calls - renewedAt < TURNS_OF_A_HOST) return;
    renewedAt = calls;
    await runtime.close();
    runtime = await openRuntime();
  };
  const close = async () => {
    await runtime.close();
    rmSync(home, { recursive: true });
  };
  return subjectOf({ prepare, turn, calls: () => calls, renew, close });
}

async function registerTracer() {
  const { BasicTracerProvider, SimpleSpanProcessor } = await own(
    "apps/runtime/node_modules/@opentelemetry/sdk-trace-base/build/src/index-shim.js",
  );
  const { trace } = await own("apps/runtime/node_modules/@opentelemetry/api/dist/index.cjs");
  const nowhere = {
    export: (_spans, done) => done({ code: 0 }),
    shutdown: async () => undefined,
  };
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(nowhere)] }),
  );
}

function judge({ input }) {
  return isAllowed(input) ? { decision: "allow" } : { decision: "deny", reason: "not that" };
}

function readTool(count) {
  return {
    ...TOOL,
    inputSchema: INPUT_SCHEMA,
    effect: "read",
    level: "local_state",
    source: "declared",
    parallelSafe: () => true,
    execute: async () => (count(), { output: FILE, isError: false }),
  };
}

function instantModels() {
  const main = {
    ref: { provider: "instant", id: "instant" },
    capabilities: { forcedChoice: "named", nativeSchema: false },
    round: instantRound,
  };
  return { main, open: () => main, isRegistered: () => true };
}

async function* instantRound({ messages }) {
  const usage = {
    inputTokens: USAGE.input,
    outputTokens: USAGE.output,
    cachedInputTokens: 0,
    reasoningTokens: 0,
  };
  if (messages.at(-1).role === "user") {
    const call = { toolCallId: "call-1", toolName: TOOL.name };
    yield { type: "tool_call", call: { ...call, input: INPUT_JSON } };
    const content = [{ type: "tool-call", ...call, input: { ...INPUT } }];
    yield { type: "finish", finishReason: "tool_calls", usage, message: { role: "assistant", content } };
  } else {
    yield { type: "text", delta: ANSWER };
    const message = { role: "assistant", content: [{ type: "text", text: ANSWER }] };
    yield { type: "finish", finishReason: "stop", usage, message };
  }
}
