import { manualClock } from "@basis/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDelegationLimits, type ChildPass, type DelegationLimits } from "../src/index.ts";

const tick = (): Promise<void> => new Promise((done) => void setImmediate(done));
const entry = (parentAgentId: string, childAgentId: string) => ({
  runId: "run",
  parentAgentId,
  childAgentId,
});

describe("children that wait for a place", () => {
  // L1
  it("finish all, a hundred at once, without ever being more than the limit", async () => {
    const limits = createDelegationLimits({ maxConcurrent: 8, whenFull: "wait" });
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const child = (at: number) =>
      limits.withChild(entry("root", `child-${at}`), async () => {
        running += 1;
        most = Math.max(most, running);
        order.push(at);
        await tick();
        running -= 1;
        return at;
      });
    const all = Array.from({ length: 100 }, (_, at) => at);
    expect(await Promise.all(all.map(child))).toEqual(all);
    expect([most, limits.active().length]).toEqual([8, 0]);
    expect(order).toEqual(all);
  });

  it("leave the line with their turn, and count against nothing", async () => {
    const limits = createDelegationLimits({ maxConcurrent: 1, whenFull: "wait" });
    const first = await limits.enter(entry("root", "a"));
    const turn = new AbortController();
    const waiting = limits.enter(entry("root", "b"), { signal: turn.signal });
    const next = limits.enter(entry("root", "c"));
    await expect(limits.enter(entry("root", "b"))).rejects.toThrow(
      expect.objectContaining({ code: "agent_active" }),
    );
    turn.abort(new Error("turn over"));
    await expect(waiting).rejects.toThrow("turn over");
    first.release();
    expect((await next).agentId).toBe("c");
    expect(limits.remaining({ runId: "run", parentAgentId: "root" }).children).toBe(98);
  });

  it("take no place when the turn ends at the very moment it is free", async () => {
    const limits = createDelegationLimits({ maxConcurrent: 1, whenFull: "wait" });
    const first = await limits.enter(entry("root", "a"));
    const turn = new AbortController();
    const waiting = limits.enter(entry("root", "b"), { signal: turn.signal });
    await tick();
    first.release();
    turn.abort(new Error("turn over"));
    await expect(waiting).rejects.toThrow("turn over");
    expect(limits.active()).toEqual([]);
  });

  it("meet the floors that gave way meanwhile", async () => {
    const clock = manualClock();
    const limits = createDelegationLimits({
      maxConcurrent: 1,
      whenFull: "wait",
      maxWallClockMs: 1000,
      clock,
    });
    const first = await limits.enter(entry("root", "a"));
    const waiting = limits.enter(entry("root", "b"));
    clock.advance(1000);
    first.release();
    await expect(waiting).rejects.toThrow(expect.objectContaining({ code: "wall_clock" }));
    expect(limits.active()).toEqual([]);
  });

  it("are refused where the wait could not end: every running child would wait", async () => {
    const limits = createDelegationLimits({ maxConcurrent: 2, whenFull: "wait" });
    const [a, b] = [await limits.enter(entry("root", "a")), await limits.enter(entry("root", "b"))];
    const waiting = limits.enter(entry("a", "a1"));
    await expect(limits.enter(entry("b", "b1"))).rejects.toThrow(
      expect.objectContaining({ code: "concurrent_limit" }),
    );
    b.release();
    expect((await waiting).depth).toBe(2);
    a.release();
  });
});

/** Lets agents delegate at random until all work is done; answers what happened. */
async function simulate(
  limits: DelegationLimits,
  choices: readonly number[],
): Promise<{ done: number; refused: number }> {
  const rest = [...choices];
  const tally = { done: 0, refused: 0 };
  const work = async (agentId: string, level: number): Promise<void> => {
    const children = level > 2 ? 0 : (rest.pop() ?? 0) % 4;
    await Promise.all(
      Array.from({ length: children }, async (_, at) => {
        await tick();
        const childAgentId = `${agentId}.${at}`;
        try {
          await limits.withChild(entry(agentId, childAgentId), (pass: ChildPass) =>
            work(pass.agentId, level + 1),
          );
          tally.done += 1;
        } catch {
          tally.refused += 1;
        }
      }),
    );
  };
  await work("root", 0);
  return tally;
}

describe("a tree of delegations", () => {
  it("always comes to an end and leaves an empty ledger, waiting or refusing", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom("wait" as const, "refuse" as const),
        fc.array(fc.nat(), { maxLength: 30 }),
        async (maxConcurrent, whenFull, choices) => {
          const limits = createDelegationLimits({ maxConcurrent, whenFull, maxDepth: 3, maxPerRun: 40 });
          const { done } = await simulate(limits, choices);
          expect(limits.active()).toEqual([]);
          expect(limits.remaining({ runId: "run", parentAgentId: "root" })).toEqual({
            levels: 3,
            concurrent: maxConcurrent,
            children: 40 - done,
          });
        },
      ),
      { numRuns: 100 },
    );
  });
});
