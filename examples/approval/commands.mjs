import assert from "node:assert/strict";
import { createApprovalGate } from "@basis/approval";
import { openCommandRules } from "@basis/approval/commands";

const commands = await openCommandRules({ gitMayRun: () => false }); // this repository's git configuration is harmless
const rule = (effect, command) => ({ toolName: "run", effect, scope: "workspace", pattern: { command } });
const gate = createApprovalGate({
  commands,
  approver: { name: "prompt", approve: () => ({ decision: "deny", reason: "asked" }) },
  rules: [
    rule("allow", { words: ["git", "log"], rest: "any" }),
    rule("allow", { words: ["head"], rest: "any" }),
    rule("deny", { words: ["rm"] }),
  ],
});
const run = (command) =>
  gate.authorize({
    callKey: command,
    agentId: "main",
    toolName: "run",
    input: { command },
    effect: "command",
  });

assert.equal((await run("git log --oneline | head -5")).decision, "allow");
assert.equal((await run("git log --output=x")).reason, "asked"); // an option that does more than any word may
assert.equal((await run("git log $(id)")).reason, "asked");
assert.match((await run("git log; env rm -rf /")).by, /^rule /); // denied, and nobody is asked
