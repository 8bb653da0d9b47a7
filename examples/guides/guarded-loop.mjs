import assert from "node:assert/strict";
import { approvalDigest, createApprovalGate } from "@basis/approval";
import { createHookChain } from "@basis/hooks";

const files = new Map([["notes.md", "a key: sk-123"]]);
const tools = {
  read: ({ path }) => files.get(path) ?? "no such file",
  write: ({ path, text }) => files.set(path, text) && "written",
};
const isInput = (input) => typeof input === "object" && typeof input?.path === "string"; // your schema's check

const chain = createHookChain({
  workspace: "/repo",
  participants: [
    {
      name: "below-docs",
      tools: ["write"],
      intercept: ({ input }) => ({
        decision: "modify",
        input: { path: `docs/${input.path}`, text: input.text },
      }),
    },
    {
      name: "no-keys",
      events: ["post_tool_use"],
      intercept: ({ output }) =>
        /sk-\d/.test(output) ? { decision: "replace", output: "(a key)" } : { decision: "allow" },
    },
  ],
});
const asked = [];
const approve = ({ toolName, input }) => asked.push([toolName, input.path]) && { decision: "allow" };
const gate = createApprovalGate({ approver: { approve } });

/** One tool call, in the order that keeps every promise: judge, check, approve, run what was approved, review. */
async function callTool({ toolCallId, toolName, inputJson }) {
  const call = { agentId: "main", toolName, toolCallId, inputJson };
  const failed = (output) => ({ output, isError: true });
  const before = await chain.beforeCall(call);
  if (before.decision === "deny") return failed(before.reason);
  const input = before.decision === "modify" ? before.input : JSON.parse(inputJson);
  if (!Object.hasOwn(tools, toolName) || !isInput(input)) return failed(`Invalid call of ${toolName}`);

  const facts = { callKey: `session-1/${toolCallId}`, toolName, input };
  const verdict = await gate.authorize({ ...facts, agentId: "main", sideEffectLevel: "local_state" });
  if (verdict.decision !== "allow") return failed(verdict.text);
  await gate.redeem({ callKey: facts.callKey, digest: approvalDigest({ ...facts, agent: "main" }) });

  const result = { output: await tools[toolName](input), isError: false };
  const after = await chain.afterCall({ ...call, inputJson: JSON.stringify(input) }, result);
  if (after.decision === "deny") return failed(after.reason);
  return after.decision === "replace" ? { output: after.output, isError: after.isError } : result;
}

const run = (toolName, input, toolCallId) =>
  callTool({ toolCallId, toolName, inputJson: JSON.stringify(input) });
assert.equal((await run("write", { path: "a.md", text: "hello" }, "c1")).output, "written");
assert.deepEqual([asked, files.get("docs/a.md")], [[["write", "docs/a.md"]], "hello"]); // approved is what ran
assert.equal((await run("read", { path: "notes.md" }, "c2")).output, "(a key)");
assert.equal((await run("read", { path: 7 }, "c3")).isError, true);
