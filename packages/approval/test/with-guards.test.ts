import { createHookChain, type HookAnswer, type HookRequest } from "@basis/hooks";
import { guardTools } from "@basis/hooks/ai-sdk";
import { guardMiddleware } from "@basis/hooks/langchain";
import { guardTools as guardAgentTools } from "@basis/hooks/openai-agents";
import { Agent, Runner, tool, Usage, type Model, type Tool } from "@openai/agents";
import * as langchain from "langchain";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { approveTools } from "../src/ai-sdk/index.ts";
import { allowAll, createApprovalGate, denyAll, memoryApprovalStore } from "../src/index.ts";
import { approvalMiddleware } from "../src/langchain/index.ts";
import { approveTools as approveAgentTools } from "../src/openai-agents/index.ts";
import { majors } from "./ai-sdk/majors.ts";
import { ScriptedAgent } from "./langchain/agents.ts";

const execute = vi.fn(({ path }: { path: string }) => `wrote ${path}`);
const parameters = z.object({ path: z.string() });
const own = { agentId: "main" };
const validator = { compile: async () => ({ check: () => [] }) };

/** A chain that answers before a call, and notes what it is shown after it. */
function chainOf(answer: HookAnswer) {
  execute.mockClear();
  const shown: unknown[] = [];
  const intercept = (request: HookRequest): HookAnswer => {
    if (request.event === "pre_tool_use") return answer;
    shown.push(request.output);
    return { decision: "allow" };
  };
  const guard = { name: "guard", events: ["pre_tool_use", "post_tool_use"] as const, intercept };
  return { shown, chain: createHookChain({ workspace: "/w", participants: [guard] }) };
}
type Chain = ReturnType<typeof chainOf>["chain"];
type Gate = ReturnType<typeof createApprovalGate>;
interface Together {
  readonly chain: Chain;
  readonly gate: Gate;
  readonly order: "guards outside" | "approvals outside";
}
interface Ended {
  readonly read: readonly unknown[];
  readonly asked: number;
}
const allow: HookAnswer = { decision: "allow" };
const rewrite: HookAnswer = { decision: "modify", input: { path: "b" } };

/** One call of `write` with `{path: "a"}`, in each framework. */
const frameworks: readonly { readonly name: string; readonly go: (parts: Together) => Promise<Ended> }[] = [
  ...majors.map(({ name, run }) => ({
    name,
    go: async ({ chain, gate, order }: Together) => {
      const tools = { write: { inputSchema: parameters, execute } };
      const both =
        order === "guards outside"
          ? guardTools(approveTools(tools, gate, own), chain, own)
          : approveTools(guardTools(tools, chain, own), gate, own);
      const { read, asked } = await run(both, [{ name: "write", input: { path: "a" } }]);
      return { read, asked: asked.length };
    },
  })),
  { name: "openai agents", go: ofOpenAiAgents },
  {
    name: "langchain, in one middleware",
    go: async ({ chain, gate, order }) => {
      const approvals = approvalMiddleware(langchain, gate, own);
      const middleware =
        order === "guards outside"
          ? [guardMiddleware(langchain, chain, { ...own, approvals })]
          : [approvals, guardMiddleware(langchain, chain, own)];
      return ofLangChain(middleware);
    },
  },
  {
    name: "langchain, in two",
    go: async ({ chain, gate, order }) => {
      const both = [
        guardMiddleware(langchain, chain, own),
        approvalMiddleware(langchain, gate, own),
      ] as const;
      return ofLangChain(order === "guards outside" ? both : both.toReversed());
    },
  },
];

async function ofLangChain(middleware: readonly object[]): Promise<Ended> {
  const write = langchain.tool(execute, { name: "write", description: "Writes.", schema: parameters });
  const { read, questions } = await new ScriptedAgent([write], middleware, [["write", { path: "a" }]]).go();
  return { read: read.map(({ text }) => text), asked: questions.length };
}

async function ofOpenAiAgents({ chain, gate, order }: Together): Promise<Ended> {
  const frozen = Object.freeze(tool({ name: "write", description: "Writes.", parameters, execute }));
  const write = [frozen] as Tool[];
  const options = { ...own, validator };
  const tools =
    order === "guards outside"
      ? guardAgentTools(approveAgentTools(write, gate, own), chain, options)
      : approveAgentTools(guardAgentTools(write, chain, options), gate, own);
  const call = { type: "function_call", callId: "c1", name: "write", status: "completed" };
  const text = { type: "output_text", text: "done" };
  const says = { type: "message", role: "assistant", status: "completed", content: [text] };
  const inputs: { type?: string; output?: { text?: string } }[][] = [];
  const getResponse = async ({ input }: { input: never }) => {
    inputs.push(structuredClone(input));
    const output = inputs.length === 1 ? [{ ...call, arguments: '{"path":"a"}' }] : [says];
    return { usage: new Usage(), output };
  };
  const model = { getResponse } as unknown as Model;
  const ended = await new Runner({ tracingDisabled: true }).run(
    new Agent({ name: "main", model, tools }),
    "go",
  );
  const read = (inputs[1] ?? []).filter(({ type }) => type === "function_call_result");
  return { read: read.map(({ output }) => output?.text), asked: ended.interruptions.length };
}

describe.each(frameworks)("guards and approvals together in $name", ({ name, go }) => {
  const order = "guards outside";
  const noting = () => {
    const approve = vi.fn(allowAll.approve);
    return { approve, gate: createApprovalGate({ approver: { ...allowAll, approve } }) };
  };

  it("the gate is asked about what the guards left, and that runs (S16)", async () => {
    const { approve, gate } = noting();
    const kept = await go({ chain: chainOf(allow).chain, gate, order });
    expect([kept.read, approve.mock.lastCall?.[0].input]).toEqual([["wrote a"], { path: "a" }]);
    const { chain, shown } = chainOf(rewrite);
    const changed = await go({ chain, gate, order });
    expect([changed.read, approve.mock.lastCall?.[0].input]).toEqual([["wrote b"], { path: "b" }]);
    expect(shown).toEqual(["wrote b"]);
    expect(execute).toHaveBeenCalledOnce();
  });

  it("nobody is asked about what the guards deny; reviewers are shown what the gate denies", async () => {
    const { approve, gate } = noting();
    const denied = await go({ chain: chainOf({ decision: "deny", reason: "no" }).chain, gate, order });
    expect(denied.read).toEqual(["denied by interceptor 'guard': no"]);
    expect(approve).not.toHaveBeenCalled();
    const { chain, shown } = chainOf(allow);
    const refused = await go({ chain, gate: createApprovalGate({ approver: denyAll }), order });
    expect(refused.read).toEqual([expect.stringMatching(/^Tool execution denied: /)]);
    expect(shown).toEqual(refused.read);
    expect(execute).not.toHaveBeenCalled();
  });

  it("a question is about what would run: shown as it is, or not asked where the framework shows another", async () => {
    const parking = () =>
      createApprovalGate({ approver: denyAll, onAsk: "park", store: memoryApprovalStore() });
    const kept = await go({ chain: chainOf(allow).chain, gate: parking(), order });
    expect(kept.asked).toBe(1);
    const store = memoryApprovalStore();
    const gate = createApprovalGate({ approver: denyAll, onAsk: "park", store });
    const { asked, read } = await go({ chain: chainOf(rewrite).chain, gate, order });
    const shows = name.startsWith("langchain");
    const denied = expect.stringContaining("nobody can be asked");
    expect([asked, read]).toEqual(shows ? [1, []] : [0, [denied]]);
    expect(store.list()).toHaveLength(asked);
    expect(execute).not.toHaveBeenCalled();
  });

  it("the other way round nothing runs that was not allowed (S16)", async () => {
    const { gate } = noting();
    const parts = { chain: chainOf(rewrite).chain, gate, order: "approvals outside" } as const;
    const outcome = await go(parts).catch((error: unknown) => error);
    const refused = {
      code: "unguarded_tool",
      message:
        "the tool 'write' is guarded already, and its guards could rewrite what was allowed: write guardTools(approveTools(…))",
    };
    const denied = { read: [expect.stringContaining("its input was changed after it was allowed")] };
    expect(outcome).toMatchObject(name.startsWith("langchain") ? denied : refused);
    expect(execute).not.toHaveBeenCalled();
  });
});
