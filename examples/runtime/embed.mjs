import assert from "node:assert/strict";
import { denyAll } from "@basis/approval";
import { createRuntime, memoryState, openModelSource, openWorkspaceFacts } from "@basis/runtime";

const models = await openModelSource("scripted:replies.json"); // or "anthropic/…"
const runtime = createRuntime({ state: memoryState(), models, approver: denyAll });
const places = { directory: process.cwd(), configDir: `${process.env.HOME}/.config/basis`, env: process.env };
const workspace = await openWorkspaceFacts({ ...places, report: console.error });
const run = await runtime.prepare(workspace);
assert.equal((await run.run("What is in this folder?")).text, "An example of a host.");
await workspace.close().then(() => runtime.close());
