import assert from "node:assert/strict";
import { approvalDigest, byLevel, createApprovalGate } from "@basis/approval";

const gate = createApprovalGate({
  approver: byLevel("local_state", {
    name: "prompt",
    approve: () => ({ decision: "deny", reason: "ask me later" }),
  }),
  rules: [{ toolName: "write", effect: "deny", scope: "global", pattern: { fields: { path: "*.env" } } }],
});
const facts = { callKey: "session-1/4/0", toolName: "write", input: { path: "src/a.ts", text: "hello" } };
const call = { ...facts, agentId: "main", sideEffectLevel: "local_state" };

const outcome = await gate.authorize(call);
assert.equal(outcome.decision, "allow");

// just before executing, from the call as it is now:
const digest = approvalDigest({ ...facts, agent: "main" });
await gate.redeem({ callKey: facts.callKey, digest });
await assert.rejects(gate.redeem({ callKey: facts.callKey, digest }), { code: "stale_approval" });

const refused = await gate.authorize({ ...call, input: { path: "prod.env", text: "" } });
assert.match(refused.text, /^Tool execution denied: .+ asking again will not change it\.$/);
const asked = await gate.authorize({ ...call, sideEffectLevel: "external" });
assert.equal(asked.text, "Tool execution denied: ask me later");
