import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import * as langchain from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ChildSpec, createDelegationLimits, ToolRoster } from "../../src/index.ts";
import { spawnTool, type AgentChildRun, type SpawnToolOptions } from "../../src/langchain/index.ts";

type Tool = langchain.DynamicStructuredTool;
interface State {
  readonly messages: readonly langchain.BaseMessage[];
  readonly __interrupt__?: readonly { readonly value: unknown }[];
}

const named = (name: string, run: () => unknown = () => `${name} ran`): Tool =>
  langchain.tool(run, { name, description: name, schema: z.object({}) }) as Tool;

/** A model that makes one call and then says something. */
function scripted(name: string, args: object, text: string) {
  const model = langchain.fakeModel();
  model.respondWithTools([{ name, args: args as Record<string, unknown>, id: `c-${name}` }]);
  return model.respond(new langchain.AIMessage(text));
}

const answersIn = ({ messages }: State) =>
  messages
    .filter((message) => langchain.ToolMessage.isInstance(message))
    .map(({ text, status }) => (status === "error" ? { error: text } : text));

function delegation(more: Partial<SpawnToolOptions<Tool>> = {}) {
  const children: AgentChildRun<Tool>[] = [];
  const models = new Map<string, ReturnType<typeof scripted>>();
  const modelOf = (agentId: string) => {
    const model = models.get(agentId) ?? scripted("read", {}, "found it");
    models.set(agentId, model);
    return model;
  };
  const spawn = spawnTool(langchain, {
    agentId: "main",
    runId: "run-1",
    workspaceDir: "/repo",
    limits: createDelegationLimits({ maxDepth: 1 }),
    parentTools: ["read", "write", "spawn"],
    policy: () => ChildSpec.inherit().withRoster(ToolRoster.only(["read"])),
    tools: () => [named("read"), named("write")],
    run: async (child) => {
      children.push(child);
      const { agentId, tools, system: systemPrompt, prompt: content } = child;
      const agent = langchain.createAgent({ model: modelOf(agentId), tools, systemPrompt });
      const { messages } = await agent.invoke({ messages: [{ role: "user", content }] });
      return messages.at(-1)!.text;
    },
    ...more,
  });
  const parent = (input: object) => {
    const model = scripted("spawn", input, "done");
    const agent = langchain.createAgent({ model, tools: [spawn], checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "t" } };
    return (what: object) => agent.invoke(what as never, config) as unknown as Promise<State>;
  };
  const run = async (input: object) =>
    answersIn(await parent(input)({ messages: [{ role: "user", content: "go" }] }));
  return { spawn, children, parent, run };
}

describe("a spawn tool of langchain", () => {
  it("runs a child with exactly the tools of its plan, and shows its answer", async () => {
    const { run, children } = delegation();
    expect(await run({ input: "triage" })).toEqual([expect.stringContaining("found it")]);
    expect(children).toMatchObject([{ prompt: "triage", depth: 1, tools: [{ name: "read" }] }]);
    expect(children[0]?.tools).toHaveLength(1);
  });

  it("tells the model what stands against a delegation: floors, policy, input", async () => {
    const flat = delegation({ limits: createDelegationLimits({ maxDepth: 0 }) });
    const deeper = [{ error: expect.stringMatching(/goes no deeper than 0/) }];
    expect(await flat.run({ input: "triage" })).toEqual(deeper);
    const wide = delegation({ policy: () => ChildSpec.inherit().withRoster(ToolRoster.only(["launch"])) });
    expect(await wide.run({ input: "triage" })).toEqual([{ error: expect.stringMatching(/launch/) }]);
    const { run, children } = delegation();
    expect(await run({ task: "x" })).toEqual([{ error: expect.stringMatching(/schema/) }]);
    expect(await run({ input: " " })).toEqual([{ error: expect.stringMatching(/^the input is empty/) }]);
    expect([...flat.children, ...wide.children, ...children]).toEqual([]);
  });

  it("tells the model of a child that failed, and goes on", async () => {
    const { run } = delegation({ run: async () => Promise.reject(new Error("no model")) });
    expect(await run({ input: "triage" })).toEqual([{ error: expect.stringMatching(/no model/) }]);
  });

  it("says which module it needs when it is given another", () => {
    expect(() => spawnTool({} as never, {} as never)).toThrow(
      "langchain is not the module of langchain 1, which @basis/child-policy/langchain needs",
    );
  });

  it("binds an approval to the plan that runs", async () => {
    const asked: string[] = [];
    const policy = () => (asked.push("asked"), ChildSpec.inherit().withRoster(ToolRoster.only(["read"])));
    const { spawn, run } = delegation({ policy });
    const facts = await spawn.facts({ toolCallId: "c-spawn", input: { input: "triage" } });
    expect(facts).toMatchObject({
      effect: "delegate",
      preview: { child: { roster: { offered: ["read"] } } },
    });
    await run({ input: "triage" });
    expect(asked).toHaveLength(1);
  });

  it("a child that asks a person interrupts the parent's run, and goes on as the same child", async () => {
    const asked: string[] = [];
    const policy = () => (asked.push("policy"), ChildSpec.inherit());
    const tools = () => [named("read", () => `a person said ${String(interrupt("may I?"))}`)];
    const limits = createDelegationLimits({ maxPerRun: 1 });
    const { parent, children, spawn } = delegation({ tools, policy, limits });
    const go = parent({ input: "triage" });
    const waiting = await go({ messages: [{ role: "user", content: "go" }] });
    expect([waiting.__interrupt__, answersIn(waiting)]).toMatchObject([[{ value: "may I?" }], []]);
    const done = await go(new Command({ resume: "yes" }));
    expect(answersIn(done)).toEqual([expect.stringContaining("found it")]);
    expect(new Set(children.map(({ agentId }) => agentId)).size).toBe(1);
    expect(asked).toHaveLength(1);
    // It counts once among the children of the run, and no other may start.
    const other = spawn.facts({ toolCallId: "c-other", input: { input: "triage" } });
    await expect(other).rejects.toThrow("has started 1 subagents and may start no more than 1");
  });
});
