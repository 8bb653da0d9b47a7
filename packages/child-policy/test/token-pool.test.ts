import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDelegationLimits, type TokenReservation } from "../src/index.ts";

const poolOf = (maxTokens: number) => createDelegationLimits({ maxTokens }).tokens("run");
const empty = expect.objectContaining({ code: "token_pool" });

describe("the token pool", () => {
  it("books what a round took and gives the rest of its reservation back", () => {
    const pool = poolOf(100);
    const round = pool.reserve(60);
    expect([round.granted, pool.reserved, pool.remaining]).toEqual([60, 60, 40]);
    round.settle(25);
    expect([pool.used, pool.reserved, pool.remaining]).toEqual([25, 0, 75]);
    pool.reserve(50).refund();
    expect([pool.used, pool.reserved]).toEqual([25, 0]);
  });

  it("grants the rest where less remains than was asked for, and nothing where nothing remains", () => {
    const pool = poolOf(100);
    const round = pool.reserve(90);
    expect(pool.reserve(90).granted).toBe(10);
    expect(() => pool.reserve(1)).toThrow(empty);
    round.refund();
    expect(pool.reserve(1).granted).toBe(1);
  });

  it("counts the first end of a reservation only", () => {
    const pool = poolOf(100);
    const round = pool.reserve(10);
    round.settle(10);
    round.settle(10);
    round.refund();
    expect([pool.used, pool.reserved]).toEqual([10, 0]);
  });

  it("books the whole reservation when a round cannot say what it took", () => {
    const pool = poolOf(100);
    pool.reserve(10).settle(Number.NaN);
    expect(pool.used).toBe(10);
  });

  // C54, C55
  it("is one for the whole tree: a parent over its budget gets no child and no round", async () => {
    const limits = createDelegationLimits({ maxTokens: 100 });
    await limits.enter({ runId: "run", parentAgentId: "root", childAgentId: "a" });
    limits.tokens("run").reserve(100).settle(120);
    expect(() => limits.check({ runId: "run", parentAgentId: "root" })).toThrow(empty);
    expect(() => limits.check({ runId: "the child's own", parentAgentId: "a" })).toThrow(empty);
    expect(() => limits.tokens("run").reserve(1)).toThrow(empty);
    expect(() => limits.check({ runId: "another", parentAgentId: "root" })).not.toThrow();
  });

  it("goes on where a resumed run left off, under its own limit if it has one", () => {
    const limits = createDelegationLimits({ maxTokens: 100 });
    limits.openRun("run", { tokensUsed: 90 });
    limits.openRun("big", { tokensUsed: 90, maxTokens: 1000 });
    expect([limits.tokens("run").remaining, limits.tokens("big").remaining]).toEqual([10, 910]);
  });

  // L3
  it("never overshoots by more than one round per run in flight", () => {
    const step = fc.record({
      run: fc.nat({ max: 3 }),
      estimate: fc.integer({ min: 1, max: 50 }),
      beyond: fc.integer({ min: -20, max: 30 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const pool = poolOf(200);
        const inFlight = new Map<number, { reservation: TokenReservation; actual: number }>();
        for (const { run, estimate, beyond } of steps) {
          const round = inFlight.get(run);
          if (round) {
            round.reservation.settle(round.actual);
            inFlight.delete(run);
          } else if (pool.remaining > 0) {
            const actual = Math.max(0, estimate + beyond);
            inFlight.set(run, { reservation: pool.reserve(estimate), actual });
          }
        }
        for (const { reservation, actual } of inFlight.values()) reservation.settle(actual);
        expect(pool.reserved).toBe(0);
        expect(pool.used).toBeLessThanOrEqual(200 + 4 * 80);
      }),
    );
  });

  it("reports nothing left rather than less than nothing", () => {
    const pool = poolOf(10);
    pool.reserve(10).settle(50);
    expect(pool.remaining).toBe(0);
  });
});
