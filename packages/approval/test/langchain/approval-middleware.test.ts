import * as langchain from "langchain";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { allowAll, createApprovalGate, denyAll, memoryApprovalStore } from "../../src/index.ts";
import {
  approvalMiddleware,
  type ApprovalMiddlewareOptions,
  type CallGate,
} from "../../src/langchain/index.ts";
import { ran, ScriptedAgent, writing, type Calls } from "./agents.ts";

const approvals = (gate: CallGate, options?: Partial<ApprovalMiddlewareOptions>) =>
  approvalMiddleware(langchain, gate, { agentId: "main", ...options });
const open = () => createApprovalGate({ approver: allowAll });
const closed = () => createApprovalGate({ approver: denyAll });
const call: Calls = [["write", { path: "a" }]];
const readOf = async (
  middleware: readonly object[],
  { tools = writing() as readonly object[], calls = call } = {},
) => (await new ScriptedAgent(tools, middleware, calls).go()).read;

describe("a langchain agent with approvals", () => {
  it("runs what the gate allows, with the approver asked once about the final input", async () => {
    const approve = vi.fn(allowAll.approve);
    const gate = createApprovalGate({ approver: { ...allowAll, approve } });
    expect(await readOf([approvals(gate)])).toEqual([{ name: "write", text: "wrote a" }]);
    expect(approve).toHaveBeenCalledOnce();
    expect(approve.mock.lastCall?.[0]).toMatchObject({
      toolName: "write",
      input: { path: "a" },
      callId: "c1",
    });
  });

  it("does not run what the gate denies: the model reads why, and the run goes on", async () => {
    const [denied] = await readOf([approvals(closed())]);
    expect(denied).toMatchObject({
      status: "error",
      text: expect.stringMatching(/^Tool execution denied: /),
    });
    const approver = { approve: () => Promise.reject(new Error("secret")) };
    const [broken] = await readOf([approvals(createApprovalGate({ approver }))]);
    expect(broken?.text).toMatch(/^Tool execution denied: (?!.*secret)/);
    expect(ran).not.toHaveBeenCalled();
  });

  it("asks about what the schema makes of an input, once (S7); one that it refuses never runs", async () => {
    const approve = vi.fn(allowAll.approve);
    const gate = createApprovalGate({ approver: { ...allowAll, approve } });
    const trimming = z.string().overwrite((text) => text.trim());
    await readOf([approvals(gate)], { tools: writing(trimming), calls: [["write", { path: " a" }]] });
    expect(approve.mock.lastCall?.[0]).toMatchObject({ input: { path: "a" } });
    expect(ran).toHaveBeenCalledExactlyOnceWith("a");
    const growing = z.string().overwrite((text) => `${text}!`);
    const [unsettled] = await readOf([approvals(gate)], { tools: writing(growing) });
    expect(unsettled?.text).toBe(
      "Tool execution denied: the schema of 'write' makes another input of it each time",
    );
    const wrong = readOf([approvals(gate)], { tools: writing(), calls: [["write", { path: 7 }]] });
    expect((await wrong)[0]).toMatchObject({ status: "error" });
    expect(ran).not.toHaveBeenCalled();
  });

  it("runs exactly what was allowed: middleware after it cannot change the input, nor bring a tool", async () => {
    const changing = (change: (request: langchain.ToolCallRequest) => object) =>
      langchain.createMiddleware({
        name: "changing",
        wrapToolCall: (request, handler) => handler({ ...request, ...change(request) }),
      });
    const other = changing(({ toolCall }) => ({ toolCall: { ...toolCall, args: { path: "b" } } }));
    const [changed] = await readOf([approvals(open()), other]);
    expect(changed?.text).toBe("Tool execution denied: its input was changed after it was allowed");
    expect(ran).not.toHaveBeenCalled();
    const [before] = await readOf([other, approvals(open())]);
    expect(before?.text).toBe("wrote b");
    const [unknown] = await readOf([approvals(open())], { tools: [], calls: [["gone", {}]] });
    expect(unknown).toMatchObject({ status: "error", text: "Error: gone is not a valid tool." });
  });

  it.each([
    ["a tool of the provider", { type: "web_search", name: "web" }, "web"],
    ["a definition that nobody here runs", { type: "function", function: { name: "shell" } }, "shell"],
  ])("refuses %s by name, unless it is listed as outside (S15)", async (_what, tool, name) => {
    const attempt = (outside: readonly string[] = []) =>
      readOf([approvals(open(), { outside })], { tools: [...writing(), tool] });
    await expect(attempt()).rejects.toThrow(
      `the tool '${name}' does not run in this process, behind the gate`,
    );
    await expect(attempt()).rejects.toMatchObject({ cause: { code: "unguarded_tool" } });
    expect(await attempt([name])).toMatchObject([{ text: "wrote a" }]);
  });

  it("fails the turn in which the provider ran a tool that no list showed (S15)", async () => {
    const part = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
    const content = [part, { type: "text", text: "done" }] as never;
    const attempt = async (outside: readonly string[]) => {
      const model = langchain.fakeModel().respond(new langchain.AIMessage({ content }));
      const agent = langchain.createAgent({ model, tools: [], middleware: [approvals(open(), { outside })] });
      return (await agent.invoke({ messages: [new langchain.HumanMessage("go")] })).messages.at(-1)?.text;
    };
    await expect(attempt(["write"])).rejects.toThrow("'web_search' was run by the provider");
    expect(await attempt(["web_search_20250305"])).toBe("done");
  });

  it("refuses settings of the model by which the provider calls servers (S15)", async () => {
    const settings = langchain.createMiddleware({
      name: "settings",
      wrapModelCall: (request, handler) => handler({ ...request, modelSettings: { mcp_servers: [] } }),
    });
    const attempt = async (outside: readonly string[]) => {
      const model = langchain.fakeModel().respond(new langchain.AIMessage("done"));
      const middleware = [settings, approvals(open(), { outside })];
      const agent = langchain.createAgent({ model, tools: [], middleware });
      return (await agent.invoke({ messages: [new langchain.HumanMessage("go")] })).messages.at(-1)?.text;
    };
    await expect(attempt([])).rejects.toThrow("the tool 'mcp_servers' does not run in this process");
    expect(await attempt(["mcp_servers"])).toBe("done");
  });

  it.each([
    [{ content: "done", additional_kwargs: { tool_outputs: [{ type: "mcp_call", name: "x" }] } }, "mcp_call"],
    [{ content: [{ type: "executableCode" }, { type: "text", text: "done" }] }, "code_execution"],
  ])("fails the turn for calls that providers write in another way (S15)", async (fields, name) => {
    const attempt = async (outside: readonly string[]) => {
      const model = langchain.fakeModel().respond(new langchain.AIMessage(fields));
      const agent = langchain.createAgent({ model, tools: [], middleware: [approvals(open(), { outside })] });
      return (await agent.invoke({ messages: [new langchain.HumanMessage("go")] })).messages.at(-1)?.text;
    };
    await expect(attempt([])).rejects.toThrow(`'${name}' was run by the provider`);
    expect(await attempt([name])).toBe("done");
  });

  it("leaves what is listed as outside, and says when the module is another", async () => {
    expect(await readOf([approvals(closed(), { outside: ["write"] })])).toMatchObject([{ text: "wrote a" }]);
    const old = () => approvalMiddleware({} as never, closed(), { agentId: "main" });
    expect(old).toThrow("@basis/approval/langchain needs the module of langchain 1");
  });
});

describe("a parked question", () => {
  const parked = (calls: Calls = call, { told = true, path = "a" } = {}) => {
    const store = memoryApprovalStore();
    const gate = createApprovalGate({ approver: denyAll, onAsk: "park", store });
    const facts = () => ({ preview: { path } });
    const middleware = approvals(gate, { facts, ...(told && { store }) });
    return { store, agent: new ScriptedAgent(writing(), [middleware], calls) };
  };

  it("interrupts the run, and an answer goes on: the call runs once, with what was shown", async () => {
    const { agent, store } = parked();
    const { questions } = await agent.go();
    const [{ approvalId } = { approvalId: "?" }] = store.list({ state: "open" });
    const about = {
      approvalId,
      toolName: "write",
      toolCallId: "c1",
      input: { path: "a" },
      preview: { path: "a" },
    };
    expect(questions).toEqual([about]);
    expect(ran).not.toHaveBeenCalled();
    expect((await agent.resume({ decision: "allow" })).read).toEqual([{ name: "write", text: "wrote a" }]);
    expect(ran).toHaveBeenCalledOnce();
    expect(store.list()).toMatchObject([{ state: "redeemed", resolution: { by: "the user" } }]);
  });

  it("that a person says no to is a denial with their reason", async () => {
    const { agent, store } = parked();
    await agent.go();
    const { read } = await agent.resume({ decision: "deny", reason: "not on a Friday" });
    expect(read).toMatchObject([{ status: "error", text: expect.stringContaining("not on a Friday") }]);
    expect(store.list()).toMatchObject([{ state: "denied" }]);
    expect(ran).not.toHaveBeenCalled();
  });

  it.each([
    ["about another question", { approvalId: "other", decision: "allow" }],
    ["that decides nothing", {}],
    ["in other words", { decision: "yes" as "allow" }],
  ] as const)("is not answered by an answer %s", async (_what, answer) => {
    const { agent, store } = parked();
    await agent.go();
    const { read } = await agent.resume(answer);
    expect(read[0]?.text).toMatch(/^Tool execution denied: the question .* is not answered yet$/);
    expect(store.list()).toMatchObject([{ state: "open" }]);
    expect(ran).not.toHaveBeenCalled();
  });

  it("is answered in the store alone where the binding is given none", async () => {
    const { agent, store } = parked(call, { told: false });
    await agent.go();
    const refused = await agent.resume({ decision: "allow" });
    expect(refused.read[0]?.text).toMatch(/is not answered yet/);
    const again = parked(call, { told: false });
    const { questions } = await again.agent.go();
    again.store.resolve(questions[0]!.approvalId, { decision: "allow", by: "ops", at: Date.now() });
    expect((await again.agent.resume()).read).toMatchObject([{ text: "wrote a" }]);
    expect(store.list()).toMatchObject([{ state: "open" }]);
  });

  it("of several calls at once has its own answer", async () => {
    const { agent } = parked([
      ["write", { path: "a" }],
      ["write", { path: "b" }],
    ]);
    const { questions } = await agent.go();
    expect(questions.map(({ input }) => input)).toEqual([{ path: "a" }, { path: "b" }]);
    const { read } = await agent.resume({ decision: "deny" }, { decision: "allow" });
    expect(read.map(({ status }) => status)).toEqual(["error", undefined]);
    expect(ran).toHaveBeenCalledExactlyOnceWith("b");
  });
});
