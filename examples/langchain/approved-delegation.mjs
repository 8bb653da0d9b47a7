import assert from "node:assert/strict";
import { createApprovalGate, memoryApprovalStore } from "@basis/approval";
import { approvalMiddleware } from "@basis/approval/langchain";
import { ChildSpec, createDelegationLimits, ToolRoster } from "@basis/child-policy";
import { spawnTool } from "@basis/child-policy/langchain";
import { createHookChain } from "@basis/hooks";
import { guardMiddleware } from "@basis/hooks/langchain";
import { Command, MemorySaver } from "@langchain/langgraph";
import * as langchain from "langchain";
import { z } from "zod";

const { createAgent, fakeModel, AIMessage } = langchain;
const file = (name, run) =>
  langchain.tool(run, { name, description: name, schema: z.object({ path: z.string() }) });
const files = [file("read", ({ path }) => `content of ${path}`), file("write", () => "written")];

// One chain for both agents, and a gate: every call is a person's to allow.
const deny = { decision: "deny", reason: "secrets stay here" };
const intercept = ({ input }) => (input.path?.endsWith(".env") ? deny : { decision: "allow" });
const hooks = createHookChain({ workspace: "/repo", participants: [{ name: "no-secrets", intercept }] });
const store = memoryApprovalStore();
const approver = { approve: () => ({ decision: "deny" }) };
const gate = createApprovalGate({ approver, onAsk: "park", store });
const facts = (call) => (call.toolName === "spawn" ? spawn.facts(call) : { sideEffectLevel: "none" });
const middleware = (agentId, parentAgentId) => {
  const approvals = approvalMiddleware(langchain, gate, { agentId, facts, store });
  return [guardMiddleware(langchain, hooks, { agentId, parentAgentId, approvals })];
};

// A cheap child beside a full fixer: it reads, and its parent writes.
const spawn = spawnTool(langchain, {
  agentId: "main",
  runId: "run-1",
  workspaceDir: "/repo",
  limits: createDelegationLimits({ maxDepth: 1 }),
  parentTools: ["read", "write", "spawn"],
  policy: () => ChildSpec.inherit().withRoster(ToolRoster.only(["read"])),
  tools: () => files,
  run: async ({ agentId, prompt: content, system: systemPrompt, tools }) => {
    const calls = ["test.log", "prod.env"].map((path, n) => ({ name: "read", args: { path }, id: `r${n}` }));
    const model = fakeModel().respondWithTools(calls).respond(new AIMessage("flaky"));
    const child = createAgent({ model, tools, systemPrompt, middleware: middleware(agentId, "main") });
    const { messages } = await child.invoke({ messages: [{ role: "user", content }] });
    return messages.map(({ text }) => text).join("; "); // all that it read, and what it says
  },
});
const task = [{ name: "spawn", args: { input: "triage the failing test" }, id: "c1" }];
const model = fakeModel().respondWithTools(task).respond(new AIMessage("It is flaky."));
const checkpointer = new MemorySaver();
const agent = createAgent({ model, tools: [...files, spawn], middleware: middleware("main"), checkpointer });
const thread = { configurable: { thread_id: "t" } };

const asked = await agent.invoke({ messages: [{ role: "user", content: "Why?" }] }, thread);
const { approvalId, preview } = asked.__interrupt__[0].value;
assert.deepEqual(preview.child, { roster: { offered: ["read"] } }); // what the person is shown
const { messages } = await agent.invoke(new Command({ resume: { approvalId, decision: "allow" } }), thread);
assert.equal(messages.at(-1).text, "It is flaky.");
assert.match(messages.at(-2).text, /content of test.log; denied by interceptor 'no-secrets': .*; flaky/);
