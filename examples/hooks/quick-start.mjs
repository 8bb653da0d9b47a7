import assert from "node:assert/strict";
import { openHooks } from "@basis/hooks/node";

const noSecrets = {
  name: "no-secrets",
  tools: ["read"],
  intercept: ({ input }) =>
    input.path.endsWith(".env") ? { decision: "deny", reason: "secrets stay here" } : { decision: "allow" },
};
const readOnly = `console.log('{"decision":"modify","input":{"argv":["git","status"]},"reason":"read only"}')`;
const specs = [{ name: "read-only", tools: ["run"], command: [process.execPath, "-e", readOnly] }];

const hooks = await openHooks({
  workspace: process.cwd(),
  discovery: false,
  interceptors: [noSecrets],
  specs,
});
const ask = (toolName, input) =>
  hooks.beforeCall({ agentId: "main", toolName, toolCallId: "call-1", inputJson: JSON.stringify(input) });

const denied = await ask("read", { path: "prod.env" });
assert.equal(denied.reason, "denied by interceptor 'no-secrets': secrets stay here");
assert.deepEqual((await ask("run", { argv: ["git", "push"] })).input, { argv: ["git", "status"] });
await hooks.close();
