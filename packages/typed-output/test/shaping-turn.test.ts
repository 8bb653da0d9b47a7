import { manualClock } from "@basis/core/testing";
import { describe, expect, it } from "vitest";
import { createLadderMemory, defineOutput, runOutput, type OutputOptions } from "../src/index.ts";
import { scriptedRunner, type ScriptedOptions } from "../src/testing/index.ts";
import {
  ask,
  bad,
  good,
  resultsPerCall,
  toolTexts,
  total,
  totalSchema,
  userTexts,
} from "./support/asking.ts";

const forces = ({ type }: { readonly type: string }) => type === "tool" || type === "required";
const refusesChoice = { error: { status: 400, message: "tool_choice: forced tool use is not supported" } };
const refusesSchema = { error: { status: 400, message: "tools.0.input_schema: unsupported keyword" } };
const able = (capabilities: ScriptedOptions["capabilities"]): ScriptedOptions => ({
  capabilities: capabilities!,
});

describe("a shaping turn", () => {
  // O1, O4, cases 5, 20, 28
  it("offers the terminal tool alone, forced, with the author's words byte for byte, and nothing else", async () => {
    const { attempt, runner } = await ask([{ terminal: good }], { host: { tools: { read: () => "x" } } });
    const { toolName } = attempt.plan;
    expect(runner.requests).toEqual([
      {
        offer: {
          kind: "round",
          round: 1,
          rung: "tool",
          tools: "terminal",
          terminal: { name: toolName, description: total.description, inputSchema: totalSchema },
          choice: { type: "tool", toolName },
        },
        tools: [toolName],
      },
    ]);
    expect(attempt).toMatchObject({ status: "accepted", value: { total: 3 }, normalized: false });
  });

  // O17
  it("does not run an ordinary tool that is called all the same", async () => {
    const rounds = [{ calls: [{ id: "c1", name: "read", input: {} }], terminal: good }];
    const { attempt, runner } = await ask(rounds, { host: { tools: { read: () => "x" } } });
    expect(attempt.status).toBe("accepted");
    expect(runner.executed).toEqual([]);
    expect(toolTexts(runner)[0]).toMatch(/^not executed: 'read' is not available now/);
    expect([...resultsPerCall(runner).values()]).toEqual([1, 1]);
  });

  // case 30
  it("names the same tools in the same order in every round and, with stable naming, in every run", async () => {
    const spec = defineOutput<{ total: number }>({
      name: "t",
      description: "",
      schema: totalSchema,
      naming: "stable",
    });
    const host = { tools: { b: () => 1, a: () => 2 } };
    const rounds = [
      { calls: [{ name: "a", input: {} }] },
      { text: "done" },
      { terminal: bad },
      { terminal: good },
    ];
    const first = await ask(rounds, { spec: spec.withTools(), host });
    const second = await ask(rounds, { spec: spec.withTools(), host });
    const lists = [...first.runner.requests, ...second.runner.requests].map(({ tools, offer }) =>
      JSON.stringify([tools, offer.terminal]),
    );
    expect(lists).toHaveLength(8);
    expect(new Set(lists).size).toBe(1);
    expect(first.runner.requests[0]!.tools).toEqual(["b", "a", first.attempt.plan.toolName]);
  });
});

describe("the ladder", () => {
  // case 22, 27
  it.each<[string, ScriptedOptions["capabilities"], string]>([
    ["the model forces nothing", { forced: "none" }, "native"],
    ["thinking refuses a forced choice", { thinking: { enabled: true, allowsForcing: false } }, "native"],
    ["thinking refuses it and there is no native schema", { forced: "none", native: "none" }, "auto"],
    ["the model can only require", { forced: "required" }, "required"],
    // case 31
    ["there are no tools at all", { tools: false, native: "none" }, "prompted"],
  ])("starts where the model stands: %s", async (_, capabilities, rung) => {
    const { runner, attempt } = await ask([{ text: good, terminal: good }], { host: able(capabilities) });
    expect(attempt.plan.rung).toBe(rung);
    const { choice } = runner.requests[0]!.offer;
    expect(forces(choice)).toBe(rung === "required");
  });

  // case 23
  it("steps down once at a refusal of the tool choice, at no cost, and says so in the plan", async () => {
    const { attempt, runner } = await ask([refusesChoice, { terminal: good }], { attempts: 1 });
    expect(attempt).toMatchObject({ status: "accepted", attempts: [{ number: 1 }] });
    expect(runner.requests.map(({ offer }) => [offer.round, offer.rung])).toEqual([
      [1, "tool"],
      [1, "required"],
    ]);
    expect(attempt.plan.degradations).toEqual([
      { from: "tool", to: "required", reason: "tool_choice", message: refusesChoice.error.message },
    ]);
  });

  // case 24
  it("remembers a refusal for that model until its lifetime has passed", async () => {
    const clock = manualClock();
    const memory = createLadderMemory({ ttlMs: 1_000, clock });
    const rung = async (rounds: Parameters<typeof ask>[0], host?: ScriptedOptions) =>
      (await ask(rounds, { memory, ...(host && { host }) })).runner.requests[0]!.offer.rung;
    await rung([refusesChoice, { terminal: good }]);
    expect(await rung([{ terminal: good }])).toBe("required");
    expect(await rung([{ terminal: good }], able({ endpoint: "elsewhere" }))).toBe("tool");
    clock.advance(1_001);
    expect(await rung([{ terminal: good }])).toBe("tool");
  });

  // cases 24 and 25
  it("remembers the refusal of a schema for that schema, until several were refused", async () => {
    const memory = createLadderMemory();
    const specOf = (name: string) =>
      defineOutput({ name, description: "", schema: { type: "object", properties: { [name]: true } } });
    const firstRung = async (name: string, refuses: boolean) => {
      const answers = [{ text: "{}" }, { terminal: "{}" }];
      const rounds = refuses ? [refusesSchema, ...answers] : [{ terminal: "{}" }, ...answers];
      return (await ask(rounds, { memory, spec: specOf(name) })).runner.requests[0]!.offer.rung;
    };
    expect(await firstRung("odd", true)).toBe("tool");
    expect(await firstRung("odd", false)).not.toBe("tool");
    expect(await firstRung("plain", false)).toBe("tool");
    expect(await firstRung("second", true)).toBe("tool");
    expect(await firstRung("plain", false)).toBe("tool");
    expect(await firstRung("third", true)).toBe("tool");
    expect(await firstRung("plain", false)).not.toBe("tool");
  });

  // case 25
  it("never sends a refused schema again in the same place, and is unsupported when no place is left", async () => {
    const { runner } = await ask([refusesSchema, { text: good }]);
    expect(runner.requests.map(({ offer }) => offer.rung)).toEqual(["tool", "native"]);
    const stuck = await ask([refusesSchema], { strategy: "tool" });
    expect(stuck.attempt).toMatchObject({ status: "unsupported", at: "schema", ledger: [] });
    expect(stuck.attempt.report?.outcome).toBe("completed");
  });

  // case 26
  it("steps down when a forced choice is accepted and ignored, to the last rung and no further", async () => {
    const prose = { text: "It is three." };
    const { attempt, runner } = await ask(
      [prose, prose, prose, prose, { text: "3?", finish: "stop" as const }],
      {
        attempts: 1,
      },
    );
    expect(runner.requests.map(({ offer }) => offer.rung)).toEqual([
      "tool",
      "required",
      "native",
      "auto",
      "prompted",
    ]);
    expect(attempt).toMatchObject({ status: "mismatch", at: "parse" });
    expect(attempt.plan.degradations.map(({ reason }) => reason)).toEqual(Array(4).fill("ignored"));
  });

  // case 29
  it("is unsupported before any request when the asked strategy is beyond the model", async () => {
    const { attempt, runner } = await ask([], { strategy: "native", host: able({ native: "none" }) });
    expect(attempt).toMatchObject({
      status: "unsupported",
      at: "strategy",
      hint: expect.stringMatching(/can do tool/),
    });
    expect(attempt.status === "unsupported" && attempt.report).toBeUndefined();
    expect(runner.requests).toEqual([]);
    const can = await ask([{ text: good }], { strategy: "native" });
    expect(can.attempt.status).toBe("accepted");
  });

  // case 31
  it("carries the schema once in a prompted run, whatever is asked again", async () => {
    const { attempt, runner } = await ask([{ text: bad }, { text: good }], { strategy: "prompted" });
    expect(attempt.status).toBe("accepted");
    const said = userTexts(runner);
    expect(said.filter((text) => text.includes("JSON Schema"))).toHaveLength(1);
    expect(said[1]).toMatch(/\/total: expected integer/);
    expect(runner.requests.every(({ offer }) => offer.tools === "none" && !offer.terminal)).toBe(true);
  });

  // case 41
  it.each(["tool_calls", undefined] as const)(
    "takes a native answer whatever the finish reason: %s",
    async (finish) => {
      const { attempt, runner } = await ask([{ text: good, ...(finish && { finish }) }], {
        strategy: "native",
      });
      expect(attempt.status).toBe("accepted");
      expect(runner.requests[0]!.offer.format).toMatchObject({ type: "json_schema", schema: totalSchema });
    },
  );

  it("leaves a refusal of anything else to the host", async () => {
    const rounds = [{ error: { status: 429, message: "slow down: schema" } }];
    const { attempt } = await ask(rounds);
    expect(attempt).toMatchObject({
      status: "failed",
      error: { code: "provider_error" },
      report: { outcome: "failed" },
    });
    const unrelated = await ask([{ error: { status: 400, message: "max_tokens is too large" } }]);
    expect(unrelated.attempt.status).toBe("failed");
  });

  it("keeps the last rung even when everything was refused", async () => {
    const memory = createLadderMemory();
    const options: OutputOptions = { memory };
    const runner = scriptedRunner(
      [refusesChoice, refusesChoice, { text: good }, { text: good }],
      able({ native: "none", tools: true }),
    );
    await runOutput(runner, total, "go", options);
    const again = await runOutput(runner, total, "go", options);
    expect(again.plan.skipped).toEqual(["tool", "required"]);
  });
});
