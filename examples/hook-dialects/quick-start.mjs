import assert from "node:assert/strict";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { openDialects } from "@basis/hook-dialects/node";
import { openHooks } from "@basis/hooks/node";

const workspace = await mkdtemp(`${tmpdir()}/dialects-`); // yours has .claude/settings.json
const guard = `if grep -q '"command":"rm '; then echo "no rm" >&2; exit 2; fi`;
const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: guard }] }] };
await writeFile(`${workspace}/claude.json`, JSON.stringify({ hooks }));

const files = [{ path: "claude.json", dialect: "claude" }];
const dialects = await openDialects({ workspace, files, trust: "run" }); // "refuse" unless trusted
const chain = await openHooks({ workspace, discovery: false, interceptors: dialects.participants });

const call = { agentId: "main", toolName: "run", toolCallId: "1" };
const run = (argv) => chain.beforeCall({ ...call, inputJson: JSON.stringify({ argv }) });
const denied = await run(["rm", "-rf", "x"]);
assert.equal(denied.reason, "denied by hook 'claude PreToolUse 1.1': no rm");
assert.deepEqual(await run(["ls"]), { decision: "allow" });
await chain.close();
await dialects.close();
