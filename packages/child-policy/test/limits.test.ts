import { manualClock } from "@basis/core/testing";
import { describe, expect, it } from "vitest";
import { createDelegationLimits, type DelegationLimits, type DelegationLimitsOptions } from "../src/index.ts";

const enter = (limits: DelegationLimits, parentAgentId: string, childAgentId: string, runId = "run") =>
  limits.enter({ runId, parentAgentId, childAgentId });
const fromRoot = { runId: "run", parentAgentId: "root" };
const refusal = (code: string, details?: object) =>
  expect.objectContaining({ code, ...(details && { details: expect.objectContaining(details) }) });

describe("the depth floor", () => {
  // C26, C29
  it("counts from the root at 0, siblings alike, and says in numbers why it goes no deeper", async () => {
    const limits = createDelegationLimits();
    const [one, two] = [await enter(limits, "root", "a"), await enter(limits, "root", "b")];
    const deep = await enter(limits, "a", "a1");
    expect([one.depth, two.depth, deep.depth]).toEqual([1, 1, 2]);
    expect(["root", "a", "a1", "stranger"].map(limits.depthOf)).toEqual([0, 1, 2, 0]);
    const text =
      "this work is already 2 levels of delegation deep and spawn goes no deeper than 2; " +
      "do it here rather than handing it on";
    const refused = expect.objectContaining({
      code: "depth_limit",
      message: text,
      details: { depth: 2, maxDepth: 2 },
    });
    expect(() => limits.checkDepth("a1")).toThrow(refused);
    expect(() => limits.check({ runId: "run", parentAgentId: "a1" })).toThrow(refused);
    await expect(enter(limits, "a1", "a2")).rejects.toThrow(refused);
    expect(() => limits.checkDepth("a")).not.toThrow();
  });

  // C30
  it("never refuses a command", async () => {
    const limits = createDelegationLimits({ maxDepth: 0, maxPerRun: 0 });
    expect(() => limits.check({ ...fromRoot, mode: "command" })).not.toThrow();
    expect(() => limits.check({ ...fromRoot, mode: "agent" })).toThrow(refusal("depth_limit"));
  });

  // C28
  it("is keyed by agent id: a name from outside is no shortcut, and no id runs twice", async () => {
    const limits = createDelegationLimits();
    expect(limits.depthOf("constructor")).toBe(0);
    await enter(limits, "root", "__proto__");
    expect(limits.depthOf("__proto__")).toBe(1);
    await expect(enter(limits, "root", "__proto__")).rejects.toThrow(refusal("agent_active"));
    expect(limits.remaining(fromRoot).children).toBe(99);
  });
});

describe("a child's place", () => {
  // C27
  it("is given back after success, failure and abort, and by a second release only once", async () => {
    const limits = createDelegationLimits({ maxConcurrent: 1 });
    const entry = { ...fromRoot, childAgentId: "a" };
    expect(await limits.withChild(entry, async (pass) => pass.depth)).toBe(1);
    expect(limits.active()).toEqual([]);
    const failing = limits.withChild(entry, async () => {
      throw new Error("child failed");
    });
    await expect(failing).rejects.toThrow("child failed");
    expect(limits.active()).toEqual([]);
    await expect(
      limits.withChild(entry, async () => 1, { signal: AbortSignal.abort(new Error("over")) }),
    ).rejects.toThrow("over");
    expect(limits.active()).toEqual([]);

    const first = await enter(limits, "root", "b");
    first.release();
    await enter(limits, "root", "b");
    first.release();
    expect(limits.active()).toEqual([{ agentId: "b", parentAgentId: "root", runId: "run", depth: 1 }]);
  });

  it("is refused where all are taken, which counts against nothing", async () => {
    const limits = createDelegationLimits({ maxConcurrent: 2 });
    const first = await enter(limits, "root", "a");
    await enter(limits, "root", "b", "other run");
    const full = refusal("concurrent_limit", { running: 2, maxConcurrent: 2 });
    expect(() => limits.check(fromRoot)).toThrow(full);
    await expect(enter(limits, "root", "c")).rejects.toThrow(full);
    expect(limits.remaining(fromRoot)).toMatchObject({ concurrent: 0, children: 99 });
    first.release();
    expect(() => limits.check(fromRoot)).not.toThrow();
  });
});

describe("the lifetime floor", () => {
  it("counts every child a run's tree ever started, and each run by itself", async () => {
    const limits = createDelegationLimits({ maxPerRun: 2 });
    (await enter(limits, "root", "a")).release();
    const child = await enter(limits, "root", "b");
    await expect(enter(limits, "root", "c")).rejects.toThrow(
      refusal("lifetime_limit", { started: 2, maxPerRun: 2 }),
    );
    await expect(enter(limits, "b", "c", "a run of its own")).rejects.toThrow(refusal("lifetime_limit"));
    child.release();
    expect((await enter(limits, "root", "c", "another run")).depth).toBe(1);
  });

  // L2
  it("counts on where a resumed run left off", async () => {
    const limits = createDelegationLimits({ maxPerRun: 3 });
    limits.openRun("run", { started: 2 });
    expect(limits.remaining(fromRoot).children).toBe(1);
    (await enter(limits, "root", "a")).release();
    expect(() => limits.check(fromRoot)).toThrow(refusal("lifetime_limit"));
    expect(() => limits.openRun("run")).toThrow(refusal("invalid_option"));
    limits.closeRun("run");
    expect(() => limits.check(fromRoot)).not.toThrow();
  });
});

describe("a child that goes on", () => {
  // L2
  it("is under every floor but the lifetime's, where it counts already", async () => {
    const limits = createDelegationLimits({ maxPerRun: 2, maxConcurrent: 1, maxDepth: 1 });
    limits.openRun("run", { started: 2 });
    const goesOn = { ...fromRoot, goesOn: true };
    expect(() => limits.check(fromRoot)).toThrow(refusal("lifetime_limit"));
    expect(() => limits.check(goesOn)).not.toThrow();
    expect([limits.remaining(fromRoot).children, limits.remaining(goesOn).children]).toEqual([0, 1]);
    const child = await limits.enter({ ...goesOn, childAgentId: "a" });
    expect(() => limits.check(goesOn)).toThrow(refusal("concurrent_limit"));
    expect(() => limits.check({ ...goesOn, parentAgentId: "a" })).toThrow(refusal("depth_limit"));
    child.release();
    limits.closeRun("run");
    limits.openRun("run", { started: 1 });
    (await limits.enter({ ...goesOn, childAgentId: "a" })).release();
    expect(limits.remaining(fromRoot).children).toBe(1);
    await expect(
      limits.enter({ ...goesOn, childAgentId: "b" }, { signal: AbortSignal.abort(new Error("stop")) }),
    ).rejects.toThrow("stop");
    expect(limits.remaining(fromRoot).children).toBe(1);
  });
});

describe("the wall clock floor", () => {
  it("ends delegating when the run has taken its time, what it took before included", async () => {
    const clock = manualClock();
    const limits = createDelegationLimits({ maxWallClockMs: 1000, clock });
    limits.openRun("run", { elapsedMs: 400 });
    clock.advance(599);
    expect(limits.remaining(fromRoot).wallClockMs).toBe(1);
    expect(() => limits.check(fromRoot)).not.toThrow();
    clock.advance(1);
    expect(() => limits.check(fromRoot)).toThrow(refusal("wall_clock", { limitMs: 1000 }));
    await expect(enter(limits, "root", "a")).rejects.toThrow(refusal("wall_clock"));
  });
});

describe("what remains", () => {
  it("is told for everything that is limited, and for nothing else", () => {
    expect(createDelegationLimits().remaining(fromRoot)).toEqual({ levels: 2, concurrent: 8, children: 100 });
    const open: DelegationLimitsOptions = {
      maxDepth: 1,
      maxPerRun: Infinity,
      maxConcurrent: Infinity,
      maxTokens: 50,
    };
    expect(createDelegationLimits(open).remaining(fromRoot)).toEqual({ levels: 1, tokens: 50 });
  });
});

describe("limits", () => {
  it.each([
    [{ maxDepth: -1 }, "maxDepth"],
    [{ maxConcurrent: 0 }, "maxConcurrent"],
    [{ maxPerRun: 1.5 }, "maxPerRun"],
    [{ maxTokens: Number.NaN }, "maxTokens"],
    [{ whenFull: "queue" as never }, "whenFull"],
  ])("that mean nothing are refused: %j", (options, option) => {
    expect(() => createDelegationLimits(options)).toThrow(refusal("invalid_option", { option }));
  });
});
