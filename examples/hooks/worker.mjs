// One process that answers every question: a worker, written with the kit.
import assert from "node:assert/strict";
import { openHooks } from "@basis/hooks/node";

const guard = `
  import { serve } from "@basis/hooks/kits/hook.mjs";
  await serve(({ input }) =>
    input.command.includes("--force")
      ? { decision: "deny", reason: "asked by " + process.pid }
      : { decision: "modify", input: { ...input, pid: process.pid } },
  );`;
const command = [process.execPath, "--input-type=module", "-e", guard];

const hooks = await openHooks({
  workspace: import.meta.dirname,
  discovery: false,
  specs: [{ name: "no-force", command, mode: "worker", timeout_ms: 30_000 }],
});
const ask = async (line) =>
  hooks.beforeCall({
    agentId: "main",
    toolName: "run",
    toolCallId: line,
    inputJson: JSON.stringify({ command: line }),
  });

const [pulled, forced] = await Promise.all([ask("git pull"), ask("git push --force")]);
assert.equal(pulled.input.command, "git pull");
assert.equal(forced.reason, `denied by hook 'no-force': asked by ${pulled.input.pid}`);
await hooks.close();
