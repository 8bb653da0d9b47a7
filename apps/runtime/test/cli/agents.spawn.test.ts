import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ScriptedAgent } from "../../src/providers/scripted-file.ts";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.remove());

const path = ".basis/agents/triage.md";
const triage = `---
name: triage
description: says what an error is about
tools: [read, list]
model: openai/small
---
You triage.
`;
const task = { calls: [{ name: "spawn", input: { input: "triage: it fails" } }] };
const modelFor = (...rounds: ScriptedAgent["rounds"]): string =>
  bench.script([task, { text: "done" }], { triage: { rounds } });
const argvFor = (model: string, ...more: readonly string[]): readonly string[] => [
  "run",
  "x y",
  "--approve",
  "always",
  "--json",
  "--model",
  model,
  ...more,
];

describe("an agent file of the workspace", () => {
  it("says who a child is whose task begins with its name: what was previewed is what starts", async () => {
    bench.write(path, triage);
    const ended = await bench.run(argvFor(modelFor({ text: "a typo" }), "--trust-workspace"));
    expect(ended.code).toBe(0);
    expect(ended.event("run_started").data.agents).toEqual(["triage"]);
    expect(ended.event("child_previewed").data.preview).toEqual({
      body: "triage: it fails",
      child: {
        model: { id: "small", provider: "openai" },
        roster: { offered: ["list", "read"] },
        system: "replaced",
      },
      cwd: bench.workspace,
      mode: "agent",
      target: "local",
    });
    expect(ended.event("child_started").data).toMatchObject({
      agent: "triage",
      model: { provider: "openai", id: "small" },
    });
    expect(ended.event("tool_completed").data).toMatchObject({ is_error: false, output: "a typo" });
    // C10, C11: its system text travels nowhere.
    expect(ended.stdout).not.toContain("You triage.");
  });

  it("keeps a child to its tools", async () => {
    bench.write(path, triage);
    const write = { calls: [{ name: "write", input: { path: "new.txt", content: "x" } }] };
    const ended = await bench.run(argvFor(modelFor(write, { text: "I could not" }), "--trust-workspace"));
    expect(ended.code).toBe(0);
    expect(existsSync(join(bench.workspace, "new.txt"))).toBe(false);
    const { stdout } = await bench.run(["events", ended.event("child_started").data.child_session]);
    expect(stdout).toContain("there is no tool 'write' for this agent; it has: list, read");
  });

  it("leaves a task for nobody to a clone of its parent", async () => {
    bench.write(path, triage);
    const clone = { calls: [{ name: "spawn", input: { input: "nobody: it fails" } }] };
    const model = bench.script([clone, { text: "done" }], { child: { rounds: [{ text: "so it is" }] } });
    const ended = await bench.run(argvFor(model, "--trust-workspace"));
    expect(ended.event("child_started").data.agent).toBe("child");
    expect(ended.event("child_previewed").data.preview).not.toHaveProperty("child");
  });

  // C20: names that exist nowhere are reported and give nothing.
  it("cannot give a child tools that are off here", async () => {
    bench.write(path, triage.replace("[read, list]", "[read, run]"));
    const run = { calls: [{ name: "run", input: { argv: ["true"] } }] };
    const ended = await bench.run(argvFor(modelFor(run, { text: "I could not" }), "--trust-workspace"));
    expect(ended.event("child_previewed").data.unknown).toEqual(["run"]);
    const { stdout } = await bench.run(["events", ended.event("child_started").data.child_session]);
    expect(stdout).toContain("there is no tool 'run' for this agent; it has: read");
  });

  // S4
  it("refuses the start until it is trusted, and again once a byte of it changed", async () => {
    bench.write(path, triage);
    const argv = argvFor(modelFor({ text: "a typo" }));
    expect(await bench.run(argv)).toMatchObject(
      refused(5, ".basis/agents is not trusted; it would choose models and tools", "'triage'"),
    );
    expect((await bench.run([...argv, "--trust-workspace"])).code).toBe(0);
    expect((await bench.run(argv)).code).toBe(0);
    bench.write(path, triage.replace("openai/small", "openai/large"));
    expect(await bench.run(argv)).toMatchObject(refused(5, "agent 'triage'", "changed"));
    bench.write(path, triage);
    bench.write(".basis/agents/more.md", "---\nname: more\n---\n");
    expect(await bench.run(argv)).toMatchObject(refused(5, "agent 'more' was added"));
  });

  // S2
  it("is read-only to the agent's own tools", async () => {
    bench.write(path, triage);
    const write = { calls: [{ name: "write", input: { path, content: "---\nname: triage\n---\n" } }] };
    const model = bench.script([write, { text: "done" }]);
    const ended = await bench.run(argvFor(model, "--trust-workspace"));
    expect(ended.event("tool_completed").data.output).toContain("is read-only for tools");
  });

  it("that is wrong refuses the start, naming file and line", async () => {
    bench.write(path, triage.replace("tools:", "tols:"));
    const ended = await bench.run(argvFor(modelFor({ text: "." }), "--trust-workspace"));
    expect(ended).toMatchObject(refused(5, `${path}:4: 'tols' is no key of an agent file`));
  });

  it("is listed by inspect once it is trusted, and named before", async () => {
    bench.write(path, triage);
    expect((await bench.run(["inspect"])).stdout).toContain("is not trusted; left out: triage");
    await bench.run(argvFor(modelFor({ text: "." }), "--trust-workspace"));
    const { stdout } = await bench.run(["inspect", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      agents: [
        {
          name: "triage",
          file: path,
          model: "openai/small",
          roster: { offered: ["list", "read"] },
          system: "replaced",
        },
      ],
    });
    expect((await bench.run(["inspect"])).stdout).toMatch(
      /triage +openai\/small +only list,read +system replaced/,
    );
  });
});
