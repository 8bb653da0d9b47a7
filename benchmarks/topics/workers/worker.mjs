// A process with one worker of the host, whose model takes its time; it tells when a turn begins.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { own } from "../../harness/places.mjs";
import { fit } from "./fit.mjs";

const { url, schema, work, waitMs } = JSON.parse(process.argv[2]);
const host = await own("apps/runtime/dist/index.js");
const { openQueue } = await own("apps/runtime/dist/queue/open-queue.js");
const { TurnWorker } = await own("apps/runtime/dist/queue/turn-worker.js");
const { allowAll } = await own("packages/approval/dist/index.js");

const home = join(work, `worker-${process.pid}`);
for (const folder of ["workspace", "config"]) mkdirSync(join(home, folder), { recursive: true });
const address = new URL(url);
address.searchParams.set("schema", schema);
const state = await host.openDatabaseState(address.href);
const workspace = await host.openWorkspaceFacts({
  directory: join(home, "workspace"),
  configDir: join(home, "config"),
  env: process.env,
  report: () => undefined,
});
const runtime = createRuntime();
const queue = await openQueue(state, { report: () => undefined });
const name = `bench:${process.pid}`;
const worker = new TurnWorker({
  runtime,
  workspace,
  name,
  concurrency: 1,
  fit,
  leaseMs: 15_000,
  report: tell,
});
const serving = await queue.serve(worker);
process.send({ ready: true });
process.once("message", async () => {
  await serving.drain(5_000);
  await queue.close();
  await runtime.close();
  rmSync(home, { recursive: true });
  process.disconnect();
});

function createRuntime() {
  const main = {
    ref: { provider: "slow", id: "slow" },
    capabilities: { forcedChoice: "named", nativeSchema: false },
    round: answer,
  };
  const models = { main, open: () => main, isRegistered: () => true };
  return host.createRuntime({ state, models, approver: allowAll });
}

async function* answer() {
  await pause(waitMs);
  yield { type: "text", delta: "done" };
  const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
  const message = { role: "assistant", content: [{ type: "text", text: "done" }] };
  yield { type: "finish", finishReason: "stop", usage, message };
}

function tell(text) {
  const [, turn] = /^turn (\S+) of session \S+ begins$/.exec(text) ?? [];
  if (turn !== undefined) process.send({ turn, at: performance.timeOrigin + performance.now() });
}
