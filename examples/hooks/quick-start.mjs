import assert from "node:assert/strict";
import { openHooks } from "@basis/hooks/node";

const deny = { decision: "deny", reason: "secrets stay here" };
const intercept = ({ input }) => (input.path.endsWith(".env") ? deny : { decision: "allow" });
const interceptors = [{ name: "no-secrets", tools: ["read"], intercept }];
const readOnly = `console.log('{"decision":"modify","input":{"argv":["git","status"]},"reason":"read only"}')`;
const specs = [{ name: "read-only", tools: ["run"], command: [process.execPath, "-e", readOnly] }];
const hooks = await openHooks({ workspace: process.cwd(), discovery: false, interceptors, specs });
const ask = (toolName, input) =>
  hooks.beforeCall({ agentId: "main", toolName, toolCallId: "call-1", inputJson: JSON.stringify(input) });
const { reason } = await ask("read", { path: "prod.env" });
assert.equal(reason, "denied by interceptor 'no-secrets': secrets stay here");
assert.deepEqual((await ask("run", { argv: ["git", "push"] })).input, { argv: ["git", "status"] });
await hooks.close();
