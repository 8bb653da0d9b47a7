import assert from "node:assert/strict";
import { createApprovalGate, memoryApprovalStore } from "@basis/approval";
import { approveTools } from "@basis/approval/ai-sdk";
import { ChildSpec, createDelegationLimits, ToolRoster } from "@basis/child-policy";
import { spawnTool } from "@basis/child-policy/ai-sdk";
import { generateText, stepCountIs, tool } from "ai"; // 6 or 7
import { z } from "zod";
import { scripted } from "./model/scripted.mjs"; // a mock of ai/test

// A cheap child beside a full fixer: it reads, and its parent writes.
const path = z.object({ path: z.string() });
const files = {
  read: tool({ inputSchema: path, execute: async (input) => `content of ${input.path}` }),
  write: tool({ inputSchema: path, execute: async () => "written" }),
};
const children = [];
const spawn = spawnTool({
  agentId: "main",
  runId: "run-1",
  workspaceDir: "/repo",
  limits: createDelegationLimits({ maxDepth: 1 }),
  parentTools: [...Object.keys(files), "spawn"],
  policy: () => ChildSpec.inherit().withRoster(ToolRoster.only(["read"])),
  tools: () => files, // guarded for the child's agent id
  run: async ({ prompt, system, tools, abortSignal }) => {
    children.push(Object.keys(tools));
    const model = scripted("the test is flaky");
    return (await generateText({ model, prompt, system, tools, abortSignal })).text;
  },
});

// Every call is a person's to allow; the approval of a delegation is bound to the child's plan.
const store = memoryApprovalStore();
const gate = createApprovalGate({
  approver: { approve: () => ({ decision: "deny" }) },
  onAsk: "park",
  store,
});
const facts = (call) => (call.toolName === "spawn" ? spawn.facts(call) : {});
const tools = approveTools({ ...files, spawn }, gate, { agentId: "main", facts, store });

const messages = [{ role: "user", content: "Why does the test fail?" }];
const task = JSON.stringify({ input: "triage the failing test" });
const asked = await generateText({ model: scripted({ toolName: "spawn", input: task }), messages, tools });
const { approvalId } = asked.content.find(({ type }) => type === "tool-approval-request");
assert.deepEqual(store.list()[0].preview.child, { roster: { offered: ["read"] } }); // what the person is shown
assert.equal(children.length, 0);

const yes = { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved: true }] };
messages.push(...asked.response.messages, yes);
const done = await generateText({
  model: scripted("It is flaky."),
  messages,
  tools,
  stopWhen: stepCountIs(2),
});
assert.equal(done.text, "It is flaky.");
assert.deepEqual(children, [["read"]]);
