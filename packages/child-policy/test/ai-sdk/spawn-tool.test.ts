import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { spawnTool, type ChildRun, type SpawnToolOptions } from "../../src/ai-sdk/index.ts";
import { ChildSpec, createDelegationLimits, ToolRoster } from "../../src/index.ts";
import { majors } from "./majors.ts";

const inputSchema = z.object({});
const tool = (name: string) => ({ inputSchema, execute: async () => `${name} ran` });
const all = { read: tool("read"), write: tool("write") };
const calls = [{ name: "spawn", input: { input: "triage the failing test" } }];

const optionsOf = (more: Partial<SpawnToolOptions> = {}): SpawnToolOptions => ({
  agentId: "main",
  runId: "run-1",
  limits: createDelegationLimits({ maxDepth: 2 }),
  workspaceDir: "/repo",
  parentTools: ["read", "write", "spawn"],
  tools: () => all,
  run: async () => "found it",
  system: "You fix.",
  ...more,
});

describe.each(majors)("the spawn tool of $name", ({ run }) => {
  const ask = (options: SpawnToolOptions) => run({ spawn: spawnTool(options) }, calls);

  it("runs a child that inherits, and hands its last text back", async () => {
    const runChild = vi.fn(async (_child: ChildRun) => "found it");
    const { read } = await ask(optionsOf({ run: runChild }));
    expect(read).toEqual(["found it"]);
    const child = runChild.mock.lastCall![0];
    expect(child).toMatchObject({ depth: 1, prompt: "triage the failing test", tools: all });
    expect(child.system).toMatch(/^You fix\.\n\nYou are a subagent/);
    expect(child.model).toBeUndefined();
  });

  it("gives a child exactly the tools, the model and the text of its plan", async () => {
    // C13, C23
    const spec = ChildSpec.inherit()
      .withRoster(ToolRoster.only(["read"]))
      .withModel({ provider: "p", id: "small" })
      .withSystem("You triage.");
    const policy = vi.fn(() => spec);
    const runChild = vi.fn(async (_child: ChildRun) => "ok");
    await ask(optionsOf({ policy, run: runChild }));
    const child = runChild.mock.lastCall![0];
    expect(Object.keys(child.tools)).toEqual(["read"]);
    expect(child.model).toMatchObject({ id: "small" });
    expect(child.system).toMatch(/^You triage\.\n\n/);
    expect(policy).toHaveBeenCalledOnce();
  });

  it("is previewed, approved and run with one plan", async () => {
    // C3, C4
    let asked = 0;
    const policy = () => ChildSpec.inherit().withSystem(`${(asked += 1)}`);
    const runChild = vi.fn(async (_child: ChildRun) => "ok");
    const spawn = spawnTool(optionsOf({ policy, run: runChild }));
    const call = { toolCallId: "call-0", input: calls[0]!.input };
    const facts = await spawn.facts(call);
    expect(facts).toMatchObject({
      sideEffectLevel: "local_state",
      preview: { child: { system: "replaced" } },
    });
    expect((await spawn.facts(call)).binding).toBe(facts.binding);
    await run({ spawn }, calls);
    expect(runChild.mock.lastCall![0].plan.digest).toBe(facts.binding);
    expect(asked).toBe(1);
  });

  it.each([
    [
      "a policy that throws",
      { policy: () => Promise.reject(new Error("secret")) },
      /the delegation is refused/,
    ],
    ["a policy that refuses", { policy: () => ({ refuse: "not today" }) }, /not today/],
    [
      "tools that the parent lacks",
      { policy: () => ChildSpec.inherit().withRoster(ToolRoster.only(["deploy"])) },
      /deploy/,
    ],
    [
      "a child that fails",
      { run: () => Promise.reject(new Error("no quota")) },
      /the delegated run failed: no quota/,
    ],
    ["a child that ends badly", { run: async () => ({ failure: "out of tokens" }) }, /out of tokens/],
    [
      "a child that said nothing",
      { run: async () => undefined },
      /^The subagent finished without saying anything\.$/,
    ],
  ] satisfies [string, Partial<SpawnToolOptions>, RegExp][])(
    "tells the model of %s",
    async (_what, more, words) => {
      // C25
      const limits = createDelegationLimits({ maxDepth: 2 });
      const { read } = await ask(optionsOf({ ...more, limits }));
      expect(String(read[0])).toMatch(words);
      expect(String(read[0])).not.toContain("secret");
      expect(limits.active()).toEqual([]);
    },
  );

  it("asks floors first, at every depth, and the policy with the child's id", async () => {
    // C6, C24, C26
    const limits = createDelegationLimits({ maxDepth: 1 });
    const policy = vi.fn(() => ChildSpec.inherit());
    const deeper: unknown[] = [];
    const nested = (agentId: string): SpawnToolOptions =>
      optionsOf({
        agentId,
        limits,
        policy,
        tools: (child) => ({ ...all, spawn: spawnTool(nested(child.agentId)) }),
        run: async ({ tools }) => {
          deeper.push(...(await run(tools, calls)).read);
          return "done";
        },
      });
    expect((await ask(nested("main"))).read).toEqual(["done"]);
    expect(deeper[0]).toMatch(/already 1 levels of delegation deep and spawn goes no deeper than 1/);
    expect(policy).toHaveBeenCalledOnce();
  });

  it("takes one text, and no commands", async () => {
    const spawn = spawnTool(optionsOf());
    expect(spawn.description).not.toContain("!command");
    const { read } = await run({ spawn }, [{ name: "spawn", input: { input: "!ls" } }]);
    expect(read[0]).toMatch(/commands are off here/);
    const wrong = await run({ spawn }, [{ name: "spawn", input: { task: "x" } }]);
    expect(String(wrong.read[0])).toMatch(/spawn takes/);
  });
});
