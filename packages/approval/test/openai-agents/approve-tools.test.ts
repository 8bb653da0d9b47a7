import { Agent, Runner, RunState, tool, Usage, type Model, type Tool } from "@openai/agents";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { allowAll, createApprovalGate, denyAll, memoryApprovalStore } from "../../src/index.ts";
import { approveTools, type CallFacts } from "../../src/openai-agents/index.ts";

const execute = vi.fn(async ({ path }: { path: string }) => `wrote ${path}`);
const write = (schema: z.ZodString = z.string()): Tool[] => {
  execute.mockClear();
  const parameters = z.object({ path: schema });
  return [tool({ name: "write", description: "Writes.", parameters, execute })];
};
const own = { agentId: "main" };
const runner = new Runner({ tracingDisabled: true });
const says = {
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "done" }],
};

/** An agent whose model makes one call and then stops; `read` is what it read of it. */
function agentWith(tools: Tool[], input: object = { path: "a" }) {
  const inputs: { type?: string; output?: { text?: string } }[][] = [];
  const call = {
    type: "function_call",
    callId: "c1",
    name: "write",
    status: "completed",
    arguments: JSON.stringify(input),
  };
  const getResponse = async ({ input: asked }: { input: never }) => {
    inputs.push(structuredClone(asked));
    return { usage: new Usage(), output: [inputs.length === 1 ? call : says] };
  };
  const agent = new Agent({ name: "main", model: { getResponse } as unknown as Model, tools });
  const read = () =>
    (inputs.at(-1) ?? [])
      .filter(({ type }) => type === "function_call_result")
      .map(({ output }) => output?.text);
  return { agent, read };
}
async function readOf(tools: Tool[], input?: object) {
  const { agent, read } = agentWith(tools, input);
  await runner.run(agent, "go");
  return read();
}

describe("approved tools of OpenAI Agents", () => {
  it("run what the gate allows, with the approver asked once about the final input", async () => {
    const approve = vi.fn(allowAll.approve);
    const gate = createApprovalGate({ approver: { ...allowAll, approve } });
    expect(await readOf(approveTools(write(), gate, own))).toEqual(["wrote a"]);
    expect(approve).toHaveBeenCalledOnce();
    expect(approve.mock.lastCall?.[0]).toMatchObject({ toolName: "write", input: { path: "a" } });
  });

  it("do not run what the gate denies: the model reads why", async () => {
    const read = await readOf(approveTools(write(), createApprovalGate({ approver: denyAll }), own));
    expect(read[0]).toMatch(/^Tool execution denied: /);
    const approver = { approve: () => Promise.reject(new Error("secret")) };
    const broken = await readOf(approveTools(write(), createApprovalGate({ approver }), own));
    expect(broken[0]).toMatch(/^Tool execution denied: /);
    expect(execute).not.toHaveBeenCalled();
  });

  it("are not asked about when they only read", async () => {
    const facts = (): CallFacts => ({ sideEffectLevel: "none" });
    const gate = createApprovalGate({ approver: denyAll });
    expect(await readOf(approveTools(write(), gate, { ...own, facts }))).toEqual(["wrote a"]);
  });

  it("S7: do not run when their schema makes another input of what was allowed", async () => {
    const gate = createApprovalGate({ approver: allowAll });
    const trims = z.string().overwrite((text) => text.trim());
    expect(await readOf(approveTools(write(trims), gate, own), { path: "a" })).toEqual(["wrote a"]);
    const read = await readOf(approveTools(write(trims), gate, own), { path: " a" });
    expect(read[0]).toMatch(/makes another input of it/);
    expect(execute).not.toHaveBeenCalled();
  });

  it("refuse by name what runs elsewhere, and an agent's tool", () => {
    const gate = createApprovalGate({ approver: allowAll });
    const asTool = new Agent({ name: "a" }).asTool({ toolName: "ask", toolDescription: "" });
    for (const one of [{ type: "hosted_tool", name: "web" }, asTool, { type: "function", name: "old" }]) {
      const refusal = expect.objectContaining({ code: "unguarded_tool" });
      expect(() => approveTools([one as Tool], gate, own)).toThrow(refusal);
      expect(approveTools([one as Tool], gate, { ...own, outside: [one.name] })).toEqual([one]);
    }
  });
});

describe("a parked question", () => {
  const parked = (facts?: () => CallFacts) => {
    const store = memoryApprovalStore();
    const gate = createApprovalGate({ approver: denyAll, onAsk: "park", store });
    return { store, ...agentWith(approveTools(write(), gate, { ...own, store, facts })) };
  };

  it("interrupts the run, and runs once, with what was approved", async () => {
    const { agent, read, store } = parked();
    const asked = await runner.run(agent, "go");
    expect(asked.interruptions).toHaveLength(1);
    expect(store.list({ state: "open" })).toMatchObject([{ toolName: "write", input: { path: "a" } }]);
    expect(execute).not.toHaveBeenCalled();
    asked.state.approve(asked.interruptions[0]!);
    await runner.run(agent, asked.state);
    expect(read()).toEqual(["wrote a"]);
    expect(store.list()).toMatchObject([{ state: "redeemed", resolution: { by: "the user" } }]);
  });

  it("is answered after the run's state was written and read back; the same state, sent again, runs nothing", async () => {
    const { agent, read, store } = parked();
    const text = (await runner.run(agent, "go")).state.toString();
    const resume = async () => {
      const state = await RunState.fromString(agent, text);
      state.approve(state.getInterruptions()[0]!);
      await runner.run(agent, state);
      return read();
    };
    expect(await resume()).toEqual(["wrote a"]);
    for (const replay of [1, 2])
      expect((await resume())[0], `replay ${replay}`).toMatch(/nobody can be asked/);
    expect(store.list({ state: "open" })).toEqual([]);
    expect(execute).toHaveBeenCalledOnce();
  });

  it("is asked beside a needsApproval of the tool's own: one yes answers both", async () => {
    const store = memoryApprovalStore();
    const gate = createApprovalGate({ approver: denyAll, onAsk: "park", store });
    const parameters = z.object({ path: z.string() });
    const careful = { name: "write", description: "Writes.", parameters, execute, needsApproval: true };
    execute.mockClear();
    const { agent, read } = agentWith(approveTools([tool(careful)] as Tool[], gate, { ...own, store }));
    const asked = await runner.run(agent, "go");
    expect(asked.interruptions).toHaveLength(1);
    asked.state.approve(asked.interruptions[0]!);
    await runner.run(agent, asked.state);
    expect(read()).toEqual(["wrote a"]);
  });

  it("runs nothing after a no, nor when the facts have changed", async () => {
    const no = parked();
    const asked = await runner.run(no.agent, "go");
    asked.state.reject(asked.interruptions[0]!);
    await runner.run(no.agent, asked.state);
    let binding = "plan-1";
    const changed = parked(() => ({ binding }));
    const waiting = await runner.run(changed.agent, "go");
    waiting.state.approve(waiting.interruptions[0]!);
    binding = "plan-2";
    await runner.run(changed.agent, waiting.state);
    expect(changed.read()[0]).toMatch(/^Tool execution denied: /);
    expect(execute).not.toHaveBeenCalled();
  });
});
