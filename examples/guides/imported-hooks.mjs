import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { denyAll } from "@basis/approval";
import { importDialects } from "@basis/hook-dialects/node";
import { trustWorkspace } from "@basis/hooks/trust";
import { createRuntime, memoryState, openModelSource, openWorkspaceFacts } from "@basis/runtime";

// A repository with a hook that was written for Claude Code.
const base = mkdtempSync(join(tmpdir(), "basis-"));
const workspace = join(base, "workspace");
mkdirSync(join(workspace, ".claude"), { recursive: true });
const files = {
  "README.md": "# Hello\n",
  ".env": "KEY=secret\n",
  "guard.sh": `#!/bin/sh\nif grep -q '\\.env"'; then echo "secrets stay here" >&2; exit 2; fi\n`,
  ".claude/settings.json": JSON.stringify({
    hooks: { PreToolUse: [{ matcher: "Read", hooks: [{ type: "command", command: "sh ./guard.sh" }] }] },
  }),
};
for (const [path, text] of Object.entries(files)) writeFileSync(join(workspace, path), text);

// `npx basis-hook-dialects import`, and `basis trust`: from here on it is a native hook.
const { names } = await importDialects({ workspace });
assert.deepEqual(names, ["claude PreToolUse 1.1"]);
const trustFile = join(base, "trust.json");
await trustWorkspace({ workspace, trustFile });

// A run whose model reads two files.
const read = (path) => ({ calls: [{ name: "read", input: { path } }] });
const rounds = [
  read("README.md"),
  { when: { contains: "# Hello" }, ...read(".env") },
  { when: { contains: "denied by hook 'claude PreToolUse 1.1': secrets stay here" }, text: "It is closed." },
];
writeFileSync(join(base, "replies.json"), JSON.stringify({ schema: 1, agents: { main: { rounds } } }));
const models = await openModelSource(`scripted:${join(base, "replies.json")}`);
const runtime = createRuntime({ state: memoryState(), models, approver: denyAll });
const places = { directory: workspace, configDir: join(base, "config"), env: process.env };
const facts = await openWorkspaceFacts({ ...places, trust: "refuse", trustFile, report: console.error });
const run = await runtime.prepare(facts);
assert.equal((await run.run("What is in the environment file?")).text, "It is closed.");
await facts.close();
await runtime.close();

// The hook's script was changed since: nothing is opened before somebody trusts it anew.
writeFileSync(join(workspace, "guard.sh"), "#!/bin/sh\nexit 0\n");
const changed = openWorkspaceFacts({ ...places, trust: "refuse", trustFile, report: console.error });
await assert.rejects(changed, /guard\.sh/);
rmSync(base, { recursive: true });
