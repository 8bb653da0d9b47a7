import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { own } from "../../harness/places.mjs";
import { ANSWER, FILE, INPUT, INPUT_JSON, INPUT_SCHEMA, isAllowed, PROMPT, TOOL, USAGE } from "./scene.mjs";

/**
 * Our runtime over a workspace of its own: one interceptor, ajv, a call that needs approval, intent row, events, and a
 * model that plays the scene at once.
 * @param kind `"memory" | "sqlite"`: where the state is.
 * @param {{ work: string, rounds?: (request: object) => AsyncIterable<object>, limits?: object }} options `rounds`: in place of the scene.
 */
export async function openOwnHost(kind, { work, rounds = sceneRound, limits }) {
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
  let last;
  const tool = readTool(() => (calls += 1));
  const workspace = { ...facts, tools: new Map([[tool.name, tool]]) };
  const openRuntime = async () => {
    const state = kind === "sqlite" ? await openState(join(home, "data")) : memoryState();
    state.events.listen((event) => {
      if (event.type === "assistant_message") last = event.data.text;
    });
    return createRuntime({ state, models: modelsOf(rounds), approver: allowAll, limits });
  };
  let runtime = await openRuntime();
  return {
    runtime: () => runtime,
    calls: () => calls,
    prepare: (sessionId) => runtime.prepare(workspace, { sessionId }),
    /** Runs a prepared turn; answers its text. */
    async turn(run) {
      const { outcome } = await run.run(PROMPT);
      return outcome === "completed" ? last : outcome;
    },
    /** A new runtime, its state too when that is in memory. */
    async renew() {
      await runtime.close();
      runtime = await openRuntime();
    },
    async close() {
      await runtime.close();
      rmSync(home, { recursive: true });
    },
  };
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

function modelsOf(round) {
  const main = {
    ref: { provider: "instant", id: "instant" },
    capabilities: { forcedChoice: "named", nativeSchema: false },
    round,
  };
  return { main, open: () => main, isRegistered: () => true };
}

const usage = {
  inputTokens: USAGE.input,
  outputTokens: USAGE.output,
  cachedInputTokens: 0,
  reasoningTokens: 0,
};

/** A round that makes one call. */
export async function* callRound(toolName, input, inputJson = JSON.stringify(input)) {
  const call = { toolCallId: "call-1", toolName };
  yield { type: "tool_call", call: { ...call, input: inputJson } };
  const content = [{ type: "tool-call", ...call, input: { ...input } }];
  yield { type: "finish", finishReason: "tool_calls", usage, message: { role: "assistant", content } };
}

/** The scene: the tool is called for a prompt, and then answered. */
export function sceneRound({ messages }) {
  return messages.at(-1).role === "user" ? callRound(TOOL.name, INPUT, INPUT_JSON) : answerRound();
}

async function* answerRound() {
  yield { type: "text", delta: ANSWER };
  const message = { role: "assistant", content: [{ type: "text", text: ANSWER }] };
  yield { type: "finish", finishReason: "stop", usage, message };
}
