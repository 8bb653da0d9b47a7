import { describe, expect, it } from "vitest";
import { manualClock } from "@basis/core/testing";
import {
  createDelegationLimits,
  resolveChild,
  ChildSpec,
  ToolRoster,
  type ChildContext,
} from "../src/index.ts";
import { context, never, parent } from "./fixtures.ts";

const trap = (): never => {
  throw new Error("trap");
};
const openai = ChildSpec.inherit().withModel({ provider: "openai", id: "small" });
const writer = ChildSpec.inherit().withRoster(ToolRoster.only(["run"]));

describe("a policy that changes what it is told", () => {
  it("widens nothing: the parent's tools stay those that the host handed in", async () => {
    const tools = ["read"];
    const told = { ...context, parentTools: tools, agents: [{ name: "a", tools: ["read"] }] };
    const policy = (given: ChildContext) => {
      for (const change of [
        () => (given.parentTools as string[]).push("run"),
        () => (given.agents[0]!.tools as string[]).push("run"),
        () => Object.assign(given.remaining, { children: 1000 }),
        () => Object.assign(given.parentModel ?? {}, { id: "other" }),
      ]) {
        expect(change).toThrow(TypeError);
      }
      return writer;
    };
    const view = { ...parent, tools };
    const refused = resolveChild({ context: told, parent: view, policy, widen: "refuse" });
    await expect(refused).rejects.toMatchObject({ code: "roster_wider", details: { extra: ["run"] } });
    expect([tools, told.agents[0]?.tools]).toEqual([["read"], ["read"]]);
  });

  it("is measured against the parent as it was when the question was put", async () => {
    const tools = ["read"];
    const policy = async () => (tools.push("run"), writer);
    const refused = resolveChild({ context, parent: { ...parent, tools }, policy, widen: "refuse" });
    await expect(refused).rejects.toMatchObject({ code: "roster_wider" });
  });
});

describe("a policy or directory that cannot be used", () => {
  it.each([
    ["an answer that cannot be looked at", () => new Proxy({}, { get: trap })],
    ["a refusal that cannot be looked at", () => Object.defineProperty({}, "refuse", { get: trap })],
  ])("refuses by code: %s", async (_what, make) => {
    const refused = resolveChild({ context, parent, policy: () => make() as never });
    await expect(refused).rejects.toMatchObject({ name: "ChildPolicyError", code: "policy_failed" });
  });

  it("refuses by code when the directory throws, rejects or never answers", async () => {
    for (const isRegistered of [trap, () => Promise.reject(new Error("down"))]) {
      const refused = resolveChild({ context, parent, policy: () => openai, models: { isRegistered } });
      await expect(refused).rejects.toMatchObject({ code: "unregistered_provider" });
    }
    const clock = manualClock();
    let asked = false;
    const models = { isRegistered: () => ((asked = true), never()) };
    const refused = resolveChild({ context, parent, policy: () => openai, models, clock });
    await expect.poll(() => asked).toBe(true);
    clock.advance(5000);
    await expect(refused).rejects.toMatchObject({ code: "unregistered_provider" });
  });

  it("waits for ever only when told to, and for no time that is none", async () => {
    const slow = () => new Promise<ChildSpec>((answer) => void setTimeout(answer, 20, openai));
    const plan = await resolveChild({ context, parent, policy: slow, timeoutMs: Infinity });
    expect(plan.model).toEqual(openai.model);
    for (const timeoutMs of [0, -1, Number.NaN]) {
      const refused = resolveChild({ context, parent, policy: slow, timeoutMs });
      await expect(refused).rejects.toMatchObject({
        code: "invalid_option",
        details: { option: "timeoutMs" },
      });
    }
  });
});

describe("limits under odd entries", () => {
  const entry = (childAgentId: string) => ({ runId: "run", parentAgentId: "root", childAgentId });

  it("refuse the id of a running child at once, also where others wait, and every place comes back", async () => {
    const limits = createDelegationLimits({ maxConcurrent: 2, whenFull: "wait" });
    const [one, two] = [await limits.enter(entry("a")), await limits.enter(entry("b"))];
    await expect(limits.enter(entry("a"))).rejects.toMatchObject({ code: "agent_active" });
    const waiting = limits.enter(entry("c"));
    two.release();
    expect((await waiting).agentId).toBe("c");
    one.release();
    (await waiting).release();
    expect(limits.active()).toEqual([]);
    expect(limits.remaining({ runId: "run", parentAgentId: "root" }).children).toBe(97);
  });

  it("hold for every child, whatever mode its entry names", async () => {
    const limits = createDelegationLimits({ maxDepth: 0 });
    const command = { ...entry("a"), mode: "command" } as const;
    expect(() => limits.check(command)).not.toThrow();
    await expect(limits.enter(command)).rejects.toMatchObject({ code: "depth_limit" });
  });

  it("go on counting for the children of a closed run, and forget it with the last of them", async () => {
    const limits = createDelegationLimits({ maxPerRun: 2, maxDepth: 5 });
    const fromChild = { runId: "run", parentAgentId: "a" };
    const child = await limits.enter(entry("a"));
    const grandchild = await limits.enter({ ...fromChild, childAgentId: "a1" });
    limits.closeRun("run");
    expect(() => limits.check(fromChild)).toThrow(expect.objectContaining({ code: "lifetime_limit" }));
    grandchild.release();
    expect(() => limits.check(fromChild)).toThrow(expect.objectContaining({ code: "lifetime_limit" }));
    child.release();
    limits.openRun("run", { started: 1 });
    expect(limits.remaining({ runId: "run", parentAgentId: "root" }).children).toBe(1);
  });

  it("let a closed run be opened again while a child of it still runs", async () => {
    const limits = createDelegationLimits({ maxPerRun: 5 });
    const child = await limits.enter(entry("a"));
    limits.closeRun("run");
    limits.openRun("run", { started: 3 });
    child.release();
    expect(limits.remaining({ runId: "run", parentAgentId: "root" }).children).toBe(2);
  });
});
