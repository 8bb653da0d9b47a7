import assert from "node:assert/strict";
import { createApprovalGate, memoryApprovalStore } from "@basis/approval";
import { approveTools } from "@basis/approval/openai-agents";
import { ChildSpec, createDelegationLimits, ToolRoster } from "@basis/child-policy";
import { spawnTool } from "@basis/child-policy/openai-agents";
import { Agent, Runner, tool, Usage } from "@openai/agents"; // 0.20
import { z } from "zod";

// A model that gives these replies: a text, or one call.
const says = (text) => ({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
const item = (reply) => ({
  status: "completed",
  ...(typeof reply === "string" ? says(reply) : { type: "function_call", callId: "c1", ...reply }),
});
const scripted = (...replies) => {
  const getResponse = async () => ({ usage: new Usage(), output: [item(replies.shift())] });
  return { getResponse };
};
const runner = new Runner({ tracingDisabled: true });

// A cheap child beside a full fixer: it reads, and its parent writes.
const file = (name, execute) =>
  tool({ name, description: name, parameters: z.object({ path: z.string() }), execute });
const files = [file("read", async ({ path }) => `content of ${path}`), file("write", async () => "written")];
const children = [];
const spawn = spawnTool({
  agentId: "main",
  runId: "run-1",
  workspaceDir: "/repo",
  limits: createDelegationLimits({ maxDepth: 1 }),
  parentTools: ["read", "write", "spawn"],
  policy: () => ChildSpec.inherit().withRoster(ToolRoster.only(["read"])),
  tools: () => files, // guarded for the child's agent id
  run: async ({ prompt, system: instructions, tools }) => {
    children.push(tools.map(({ name }) => name));
    const child = new Agent({ name: "child", instructions, tools, model: scripted("the test is flaky") });
    return (await runner.run(child, prompt)).finalOutput;
  },
});

// Every call is a person's to allow; the approval of a delegation is bound to the child's plan.
const store = memoryApprovalStore();
const approver = { approve: () => ({ decision: "deny" }) };
const gate = createApprovalGate({ approver, onAsk: "park", store });
const facts = (call) => (call.toolName === "spawn" ? spawn.facts(call) : {});
const tools = approveTools([...files, spawn], gate, { agentId: "main", facts, store });

const task = JSON.stringify({ input: "triage the failing test" });
const model = scripted({ name: "spawn", arguments: task }, "It is flaky.");
const agent = new Agent({ name: "main", model, tools });
const asked = await runner.run(agent, "Why does the test fail?");
assert.deepEqual(store.list()[0].preview.child, { roster: { offered: ["read"] } }); // what the person is shown
assert.equal(children.length, 0);

for (const interruption of asked.interruptions) asked.state.approve(interruption); // or reject
const done = await runner.run(agent, asked.state);
assert.equal(done.finalOutput, "It is flaky.");
assert.deepEqual(children, [["read"]]);
