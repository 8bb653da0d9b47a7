import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openHooks } from "@basis/hooks/node";

const globalDir = mkdtempSync(join(tmpdir(), "operator-")); // else ~/.config/basis
const workspace = mkdtempSync(join(tmpdir(), "repo-"));
const script = (name, text) => {
  const path = join(globalDir, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
};

// In shell: read the question, print an answer.
const branch = script(
  "no-force.sh",
  `#!/bin/sh
case "$(cat)" in
  *--force*) echo '{"decision":"deny","reason":"no force"}' ;;
  *) echo '{"decision":"allow"}' ;;
esac
`,
);
// In Python: the kit serves both modes, so one process answers all questions.
const kit = fileURLToPath(import.meta.resolve("@basis/hooks/kits/hook.py"));
const quiet = script(
  "quiet.py",
  `import sys
sys.path.insert(0, sys.argv[1])
from hook import serve
serve(lambda request: {"decision": "modify", "input": {"argv": request["input"]["argv"] + ["--quiet"]}})
`,
);
const hooks = [
  { name: "no-force", tools: ["run"], command: [branch], timeout_ms: 30_000 },
  {
    name: "quiet",
    tools: ["run"],
    command: ["python3", "-B", quiet, dirname(kit)],
    mode: "worker",
    timeout_ms: 30_000,
  },
  { name: "absent", tools: ["write"], command: ["/nowhere/guard"] },
];
writeFileSync(join(globalDir, "hooks.json"), JSON.stringify({ schema: 1, hooks }));

const chain = await openHooks({ workspace, globalDir });
const ask = (toolName, input) =>
  chain.beforeCall({ agentId: "main", toolName, toolCallId: "c1", inputJson: JSON.stringify(input) });
assert.deepEqual((await ask("run", { argv: ["git", "pull"] })).input, { argv: ["git", "pull", "--quiet"] });
assert.equal(
  (await ask("run", { argv: ["git", "push", "--force"] })).reason,
  "denied by hook 'no-force': no force",
);
assert.equal((await ask("write", { path: "a" })).decision, "deny"); // a guard that cannot answer denies
await chain.close();
