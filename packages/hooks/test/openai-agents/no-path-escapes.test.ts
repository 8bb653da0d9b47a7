import { interpretingValidator } from "@basis/typed-output/interpreter";
import {
  Agent,
  applyPatchTool,
  computerTool,
  getAllMcpTools,
  handoff,
  hostedMcpTool,
  invokeFunctionTool,
  Runner,
  shellTool,
  tool,
  toolNamespace,
  type MCPServer,
} from "@openai/agents";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createHookChain, type HookAnswer, type HookRequest } from "../../src/index.ts";
import { guardAgent, guardTools } from "../../src/openai-agents/index.ts";
import { readBy, run, scripted } from "./scripted-model.ts";

const noting = (answer: (request: HookRequest) => HookAnswer = () => ({ decision: "allow" })) => {
  const seen: HookRequest[] = [];
  const intercept = (request: HookRequest): HookAnswer => (seen.push(request), answer(request));
  const chain = createHookChain({
    workspace: "/w",
    participants: [{ name: "all", events: ["pre_tool_use", "post_tool_use"], intercept }],
    report: () => undefined,
  });
  const told = () =>
    seen.map(({ event, toolName, agentId }) => `${agentId} ${event.split("_")[0]} ${toolName}`);
  return { chain, told };
};
const denyAll = (): HookAnswer => ({ decision: "deny", reason: "closed" });
const validator = interpretingValidator();
const own = { agentId: "main", validator };
const ran = vi.fn();
const parameters = z.object({ n: z.number() });
const named = (name: string, more: object = {}) =>
  tool({ name, description: name, parameters, execute: async () => (ran(name), "ok"), ...more } as never);
const call = (name: string, more: object = {}) => ({ name, input: { n: 1 }, ...more });

/** An MCP server inside of the process. */
const server = (): MCPServer =>
  ({
    name: "memory",
    cacheToolsList: false,
    connect: async () => undefined,
    close: async () => undefined,
    invalidateToolsCache: async () => undefined,
    listTools: async () => [
      {
        name: "remote",
        description: "",
        inputSchema: {
          type: "object",
          properties: { n: { type: "number" } },
          required: ["n"],
          additionalProperties: false,
        },
      },
    ],
    callTool: async () => (ran("remote"), [{ type: "text", text: "ok" }]),
  }) as unknown as MCPServer;

async function everyKind() {
  ran.mockClear();
  return [
    named("plain"),
    named("timed", { timeoutMs: 60_000 }),
    named("loose", {
      strict: false,
      parameters: {
        type: "object",
        properties: { n: { type: "number" } },
        required: ["n"],
        additionalProperties: true,
      },
    }),
    ...toolNamespace({ name: "space", description: "A namespace.", tools: [named("inner") as never] }),
    ...(await getAllMcpTools({ mcpServers: [server()] })),
  ];
}
const names = ["plain", "timed", "loose", "inner", "remote"];
const calls = names.map((name) => call(name, name === "inner" ? { namespace: "space" } : {}));

describe("no way to run a tool of OpenAI Agents escapes the chain", () => {
  it.each(["run", "stream"])("%s: calls at once, each judged before and after", async (way) => {
    for (const isOpen of [true, false]) {
      const { chain, told } = noting(isOpen ? undefined : denyAll);
      const model = scripted(calls);
      const agent = new Agent({
        name: "main",
        model,
        tools: guardTools(await everyKind(), chain, own) as never,
      });
      if (way === "run") await run(agent);
      else {
        const result = await new Runner({ tracingDisabled: true }).run(agent, "go", { stream: true });
        for await (const event of result) void event;
      }
      expect(told().filter((line) => line.includes(" pre ")).length).toBe(names.length);
      expect(told().filter((line) => line.includes(" post ")).length).toBe(isOpen ? names.length : 0);
      expect(ran.mock.calls.map(([name]) => String(name)).toSorted()).toEqual(isOpen ? names.toSorted() : []);
      const denied = readBy(model).filter((shown) => shown === "denied by interceptor 'all': closed");
      expect(denied.length).toBe(isOpen ? 0 : names.length);
    }
  });

  it("invokeFunctionTool and invoke by hand are judged, too", async () => {
    const { chain } = noting(denyAll);
    for (const guarded of guardTools(await everyKind(), chain, own)) {
      const given = { tool: guarded, runContext: {}, input: '{"n":1}' } as never;
      expect(await invokeFunctionTool(given)).toBe("denied by interceptor 'all': closed");
    }
    expect(ran).not.toHaveBeenCalled();
  });

  it("S15: tools that run elsewhere are refused by name, unless they are listed as outside", () => {
    const elsewhere = [
      { type: "hosted_tool", name: "web_search", providerData: { type: "web_search" } },
      { type: "hosted_tool", name: "code_interpreter", providerData: { type: "code_interpreter" } },
      { type: "hosted_tool", name: "tool_search", providerData: { type: "tool_search" } },
      hostedMcpTool({ serverLabel: "l", serverUrl: "https://example.com" }),
      computerTool({ computer: (() => undefined) as never }),
      shellTool({ shell: { run: async () => ({ output: [] }) } }),
      applyPatchTool({ editor: {} as never }),
      { type: "custom", name: "grammar" },
      { type: "function", name: "old" },
    ];
    const { chain } = noting();
    for (const one of elsewhere) {
      const { name } = one as { name: string };
      const refusal = expect.objectContaining({
        code: "unguarded_tool",
        details: { tool: name, reason: expect.any(String) },
      });
      expect(() => guardTools([one], chain, own)).toThrow(refusal);
      expect(guardTools([one], chain, { ...own, outside: [name] })).toEqual([one]);
    }
  });

  it("needs somebody who checks inputs", () => {
    const { chain } = noting();
    expect(() => guardTools([named("plain")], chain, { agentId: "main" } as never)).toThrow(
      /pass a validator/,
    );
  });
});

describe("agents under one chain", () => {
  const agentOf = (name: string, more: object) => new Agent({ name, ...more });

  it("a handoff goes to a guarded agent, in circles, too", async () => {
    ran.mockClear();
    const { chain, told } = noting(denyAll);
    const second = agentOf("second", {
      tools: [named("write")],
      model: scripted([call("write")], [call("transfer_to_first", { input: {} })]),
    });
    const first = agentOf("first", {
      tools: [named("read")],
      model: scripted([call("transfer_to_second", { input: {} })], [call("read")]),
      handoffs: [handoff(second)],
    });
    (second.handoffs as unknown[]).push(first);
    const result = await run(guardAgent(first, chain, { validator }));
    expect(result.finalOutput).toBe("done");
    expect(told()).toEqual(["second pre write", "first pre read"]);
    expect(ran).not.toHaveBeenCalled();
  });

  it("an agent as a tool is judged as a call, and its own tools are", async () => {
    ran.mockClear();
    const { chain, told } = noting();
    const child = agentOf("child", { tools: [named("write")], model: scripted([call("write")], "wrote") });
    const guardedChild = guardAgent(child, chain, { validator, parentAgentId: "main", depth: 1 });
    const ask = guardedChild.asTool({ toolName: "ask", toolDescription: "Asks." });
    const model = scripted([call("ask", { input: { input: "go" } })]);
    const main = guardAgent(agentOf("main", { tools: [ask], model }), chain, { validator });
    await run(main);
    expect(readBy(model)).toEqual(["wrote"]);
    expect(told()).toEqual(["main pre ask", "child pre write", "child post write", "main post ask"]);
  });

  it("an approval within an agent as a tool is asked and resumed", async () => {
    ran.mockClear();
    const { chain } = noting();
    const child = agentOf("child", {
      tools: [named("write", { needsApproval: true })],
      model: scripted([call("write")], "wrote"),
    });
    const ask = guardAgent(child, chain, { validator }).asTool({ toolName: "ask", toolDescription: "Asks." });
    const model = scripted([call("ask", { input: { input: "go" } })]);
    const main = guardAgent(agentOf("main", { tools: [ask], model }), chain, { validator });
    const asked = await run(main);
    expect(asked.interruptions).toHaveLength(1);
    expect(ran).not.toHaveBeenCalled();
    asked.state.approve(asked.interruptions[0]!);
    expect((await run(main, asked.state)).finalOutput).toBe("done");
    expect(ran).toHaveBeenCalledTimes(1);
    expect(readBy(model)).toEqual(["wrote"]);
  });

  it("refuses agents that bring tools past their list", () => {
    const { chain } = noting();
    const guard = (agent: object) => () => guardAgent(agent, chain, { validator });
    expect(guard(agentOf("a", { mcpServers: [server()] }))).toThrow(/mcpServers: pass their tools/);
    expect(guard(agentOf("a", { prompt: { promptId: "p" } }))).toThrow(/stored prompt/);
    expect(guard(Object.assign(agentOf("a", {}), { capabilities: [] }))).toThrow(/sandbox/);
    const search = { tools: [{ type: "web_search" }] };
    const settings = [{ web_search_options: {} }, { extra_body: { plugins: [{ id: "web" }] } }];
    for (const providerData of [search, { extraBody: search }, { extra_body: search }, ...settings]) {
      expect(guard(agentOf("a", { modelSettings: { providerData } }))).toThrow(/providerData brings tools/);
      const runConfig = { modelSettings: { providerData } };
      const asTool = () => guardAgent(agentOf("b", {}), chain, { validator }).asTool({ runConfig });
      expect(asTool).toThrow(/'b' would run by a runConfig that brings tools/);
    }
    expect(guard(agentOf("a", { modelSettings: { providerData: { user: "u" } } }))()).toBeInstanceOf(Agent);
    const bare = agentOf("child", {}).asTool({ toolName: "ask", toolDescription: "Asks." });
    expect(guard(agentOf("a", { tools: [bare] }))).toThrow(/whose own tools no guard sees/);
    expect(guard(agentOf("a", { handoffs: [agentOf("b", { mcpServers: [server()] })] }))).toThrow(/'b'/);
    const ask = guardAgent(agentOf("child", {}), chain, { validator }).asTool({});
    guardAgent(agentOf("a", { tools: [ask] }), chain, { validator });
    expect(guard(agentOf("b", { tools: [ask] }))).toThrow(/guarded already/);
  });

  it("refuses a handoff that hands the model's input to the host's code, unless it is listed as outside", async () => {
    const { chain } = noting();
    const onHandoff = vi.fn();
    const escalate = handoff(agentOf("b", { model: scripted("done") }), { onHandoff, inputType: parameters });
    const model = scripted([call("transfer_to_b")]);
    const first = agentOf("a", { handoffs: [escalate], model });
    expect(() => guardAgent(first, chain, { validator })).toThrow(/'transfer_to_b' is a handoff/);
    expect(onHandoff).not.toHaveBeenCalled();
    await run(guardAgent(first, chain, { validator, outside: ["transfer_to_b"] }));
    expect(onHandoff).toHaveBeenCalledOnce();
  });

  it("its lists of tools and of servers take no more, whatever the agent it was made of gets", () => {
    const { chain } = noting();
    const agent = agentOf("a", { tools: [named("read")] });
    const { tools, mcpServers } = guardAgent(agent, chain, { validator });
    agent.mcpServers.push(server());
    agent.tools.push(named("write") as never);
    expect([tools.length, mcpServers]).toEqual([1, []]);
    expect(() => tools.push(named("write") as never)).toThrow(TypeError);
    expect(() => mcpServers.push(server())).toThrow(TypeError);
  });
});
