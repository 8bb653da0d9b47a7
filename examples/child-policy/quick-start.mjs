import assert from "node:assert/strict";
import * as delegation from "@basis/child-policy";

const triage = delegation.ChildSpec.inherit()
  .withModel({ provider: "openai", id: "small" })
  .withRoster(delegation.ToolRoster.only(["read", "search"]));
const policy = ({ prompt }) => (prompt.startsWith("triage") ? triage : delegation.ChildSpec.inherit());
const limits = delegation.createDelegationLimits({ maxDepth: 2, maxConcurrent: 8, maxPerRun: 100 });

const call = delegation.parseSpawn({ input: "triage the failing test" }, { targets: [] });
const from = { runId: "run-1", parentAgentId: "main", mode: call.mode };
limits.check(from); // floors first
const parent = { tools: ["read", "search", "write", "spawn"], hidden: [] };
const facts = { prompt: call.body, workspaceDir: "/repo", depth: 0, parentTools: parent.tools, agents: [] };
const context = { ...facts, parentAgentId: "main", remaining: limits.remaining(from) };
const plan = await delegation.resolveChild({ policy, context, parent, widen: "refuse" });

const { child } = delegation.spawnPreview(call, { cwd: "/repo", plan }); // show it to whoever approves
assert.deepEqual(child.model, { id: "small", provider: "openai" });
const approved = plan.digest; // what the approval is bound to
const mayWrite = await limits.withChild({ ...from, childAgentId: "child-1" }, async () =>
  delegation.confirmPlan(plan, approved).roster.allows("write"),
);
assert.equal(mayWrite, false);
