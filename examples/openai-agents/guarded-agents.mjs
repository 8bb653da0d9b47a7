import assert from "node:assert/strict";
import { createHookChain } from "@basis/hooks";
import { guardAgent } from "@basis/hooks/openai-agents";
import { interpretingValidator } from "@basis/typed-output/interpreter";
import { Agent, Runner, tool, Usage } from "@openai/agents"; // 0.20
import { z } from "zod";

// A model that gives these replies and keeps what it was asked.
const scripted = (...replies) => {
  const requests = [];
  const getResponse = async ({ input }) => ({
    usage: new Usage(),
    output: replies[requests.push(input) - 1],
  });
  return { requests, getResponse };
};
const call = (name, input, callId) => ({
  type: "function_call",
  status: "completed",
  callId,
  name,
  arguments: JSON.stringify(input),
});
const text = (words) => [
  {
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: words }],
  },
];

// One chain for the agent and for the agents that it starts.
const deny = { decision: "deny", reason: "secrets stay here" };
const intercept = ({ input }) => (input.path?.endsWith(".env") ? deny : { decision: "allow" });
const hooks = createHookChain({ workspace: "/repo", participants: [{ name: "no-secrets", intercept }] });
const validator = interpretingValidator();

const parameters = z.object({ path: z.string() });
const execute = async ({ path }) => `content of ${path}`;
const read = tool({ name: "read", description: "Reads a file.", parameters, execute });

const reads = [call("read", { path: "a.txt" }, "c1"), call("read", { path: "prod.env" }, "c2")];
const model = scripted(reads, text("read one of two"));
const as = { validator, parentAgentId: "main", depth: 1 };
const reader = guardAgent(new Agent({ name: "reader", model, tools: [read] }), hooks, as);
const ask = reader.asTool({ toolName: "ask", toolDescription: "Asks the reader." });
const outer = scripted([call("ask", { input: "read all" }, "c3")], text("done"));
const main = guardAgent(new Agent({ name: "main", model: outer, tools: [ask] }), hooks, { validator });

const { finalOutput } = await new Runner({ tracingDisabled: true }).run(main, "Look around.");
assert.equal(finalOutput, "done");
const shown = (input) =>
  input.filter(({ type }) => type === "function_call_result").map(({ output }) => output.text);
assert.deepEqual(shown(model.requests[1]), [
  "content of a.txt",
  "denied by interceptor 'no-secrets': secrets stay here",
]);
assert.deepEqual(shown(outer.requests[1]), ["read one of two"]);
