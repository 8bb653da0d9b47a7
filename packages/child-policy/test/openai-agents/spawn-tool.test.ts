import { Agent, Runner, tool, Usage, type Model, type Tool } from "@openai/agents";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ChildSpec, createDelegationLimits, ToolRoster } from "../../src/index.ts";
import { spawnTool, type AgentChildRun, type SpawnToolOptions } from "../../src/openai-agents/index.ts";

const call = (name: string, input: unknown) => ({
  type: "function_call",
  callId: `c-${name}`,
  name,
  status: "completed",
  arguments: typeof input === "string" ? input : JSON.stringify(input),
});
const says = (text: string) => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text }],
});

/** A model that answers one item a round, and the results that it read. */
function scripted(...replies: object[]) {
  const inputs: { type?: string; output?: { text?: string } }[][] = [];
  const getResponse = async ({ input }: { input: never }) => {
    inputs.push(structuredClone(input));
    return { usage: new Usage(), output: [replies[inputs.length - 1]] };
  };
  const read = () =>
    (inputs.at(-1) ?? [])
      .filter(({ type }) => type === "function_call_result")
      .map(({ output }) => output?.text);
  return { model: { getResponse } as unknown as Model, read };
}

const named = (name: string) =>
  tool({ name, description: name, parameters: z.object({}), execute: async () => `${name} ran` });
const runner = new Runner({ tracingDisabled: true });

function delegation(more: Partial<SpawnToolOptions<Tool>> = {}) {
  const children: AgentChildRun<Tool>[] = [];
  const spawn = spawnTool<Tool>({
    agentId: "main",
    runId: "run-1",
    workspaceDir: "/repo",
    limits: createDelegationLimits({ maxDepth: 1 }),
    parentTools: ["read", "write", "spawn"],
    policy: () => ChildSpec.inherit().withRoster(ToolRoster.only(["read"])),
    tools: () => [named("read"), named("write")],
    run: async (child) => {
      children.push(child);
      const { model } = scripted(call("read", {}), says("found it"));
      const agent = new Agent({ name: "child", instructions: child.system, model, tools: child.tools });
      return (await runner.run(agent, child.prompt)).finalOutput ?? "";
    },
    ...more,
  });
  const run = async (input: unknown) => {
    const { model, read } = scripted(call("spawn", input), says("done"));
    await runner.run(new Agent({ name: "main", model, tools: [spawn as unknown as Tool] }), "go");
    return read();
  };
  return { spawn, children, run };
}

describe("a spawn tool of OpenAI Agents", () => {
  it("runs a child with exactly the tools of its plan, and shows its answer", async () => {
    const { run, children } = delegation();
    expect(await run({ input: "triage" })).toEqual([expect.stringContaining("found it")]);
    expect(children).toMatchObject([{ prompt: "triage", depth: 1, tools: [{ name: "read" }] }]);
    expect(children[0]?.tools).toHaveLength(1);
  });

  it("tells the model what stands against a delegation: floors, policy, input", async () => {
    const flat = delegation({ limits: createDelegationLimits({ maxDepth: 0 }) });
    expect((await flat.run({ input: "triage" }))[0]).toMatch(/goes no deeper than 0/);
    const wide = delegation({ policy: () => ChildSpec.inherit().withRoster(ToolRoster.only(["launch"])) });
    expect((await wide.run({ input: "triage" }))[0]).toMatch(/launch/);
    const { run, children, spawn } = delegation();
    expect((await run({ task: "x" }))[0]).toMatch(/spawn/);
    expect(await spawn.invoke(undefined, "{")).toMatch(/^Invalid input for 'spawn'/);
    expect([...flat.children, ...wide.children, ...children]).toEqual([]);
  });

  it("tells the model of a child that failed, and goes on", async () => {
    const { run } = delegation({ run: async () => Promise.reject(new Error("no model")) });
    expect((await run({ input: "triage" }))[0]).toMatch(/no model/);
  });

  it("tells the model when the host has no tools for a child, or answers nonsense, and goes on", async () => {
    const tools = () => {
      throw new Error("no toolset");
    };
    expect((await delegation({ tools }).run({ input: "triage" }))[0]).toMatch(/no toolset/);
    for (const answer of [7, { text: 7 }, { failure: null }])
      expect((await delegation({ run: async () => answer as never }).run({ input: "triage" }))[0]).toMatch(
        /neither a text nor how the child ended/,
      );
    const silent = await delegation({ run: async () => null as never }).run({ input: "triage" });
    expect(silent[0]).toBe("The subagent finished without saying anything.");
  });

  it("binds an approval to the plan that runs", async () => {
    const asked: string[] = [];
    const policy = () => (asked.push("asked"), ChildSpec.inherit().withRoster(ToolRoster.only(["read"])));
    const { spawn } = delegation({ policy });
    const facts = await spawn.facts({ toolCallId: "c-spawn", input: { input: "triage" } });
    expect(facts).toMatchObject({
      effect: "delegate",
      preview: { child: { roster: { offered: ["read"] } } },
    });
    await spawn.invoke(undefined, '{"input":"triage"}', { toolCall: { callId: "c-spawn" } });
    expect(asked).toHaveLength(1);
  });
});
