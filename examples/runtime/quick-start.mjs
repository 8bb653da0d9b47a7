import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { denyAll } from "@basis/approval";
import { createRuntime, memoryState, openModelSource, openWorkspaceFacts } from "@basis/runtime";

const base = mkdtempSync(join(tmpdir(), "basis-"));
const directory = join(base, "workspace");
mkdirSync(directory);
writeFileSync(join(directory, "README.md"), "# Hello\n");
const read = { calls: [{ name: "read", input: { path: "README.md" } }] };
const rounds = [read, { when: { contains: "# Hello" }, text: "It says hello." }];
writeFileSync(join(base, "replies.json"), JSON.stringify({ schema: 1, agents: { main: { rounds } } }));

const models = await openModelSource(`scripted:${join(base, "replies.json")}`); // or "anthropic/…"
const runtime = createRuntime({ state: memoryState(), models, approver: denyAll });
const places = { directory, configDir: join(base, "config"), env: process.env };
const workspace = await openWorkspaceFacts({ ...places, report: console.error });
const run = await runtime.prepare(workspace);
assert.equal((await run.run("What does the readme say?")).text, "It says hello.");
await workspace.close();
await runtime.close();
rmSync(base, { recursive: true });
