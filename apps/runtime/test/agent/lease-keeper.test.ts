import type { Clock } from "@basis/core";
import { manualClock } from "@basis/core/testing";
import { SessionError, type Lease } from "@mobkit/session";
import { describe, expect, it } from "vitest";
import { Cue } from "../../src/agent/run/cue.ts";
import { LeaseKeeper, type LeaseLostError } from "../../src/agent/transcript/lease-keeper.ts";

const TTL = 15_000;
const lease: Lease = { sessionId: "s", owner: "me", epoch: 1, expiresAt: 0, ttlMs: TTL };

type Answer = "renewed" | "taken" | "refused" | "silent";

/** A keeper on a store that answers as told. */
function keeperOn(answers: () => Answer) {
  const alarms = manualClock();
  let frozenMs = 0;
  const pending = new Set<object>();
  const alarm: Clock["alarm"] = (ms, ring) => {
    const one = {};
    pending.add(one);
    const stop = alarms.alarm(ms, () => (pending.delete(one), ring()));
    return () => (pending.delete(one), stop());
  };
  const clock: Clock = { ...alarms, alarm, monotonicMs: () => alarms.monotonicMs() + frozenMs };
  const lost: LeaseLostError[] = [];
  const asked: number[] = [];
  const renewLease = async (): Promise<Lease> => {
    asked.push(clock.monotonicMs() - begun);
    const answer = answers();
    if (answer === "taken") throw new SessionError("stale_fence", "taken", { details: {} as never });
    if (answer === "refused") throw new SessionError("busy", "busy", { details: {} as never });
    if (answer === "silent") return new Promise(() => undefined);
    return lease;
  };
  const begun = clock.monotonicMs();
  const ending = new Cue();
  ending.onAbort(() => lost.push(ending.reason as LeaseLostError));
  const keeper = new LeaseKeeper({ renewLease }, lease, { clock, askedAt: begun, ending });
  const wait = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 250) {
      alarms.advance(Math.min(250, left));
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    }
  };
  /** SIGSTOP and, that much later, SIGCONT. */
  const freeze = (ms: number): void => void (frozenMs += ms);
  return { keeper, lost, asked, freeze, wait, waiting: () => pending.size };
}

describe("a kept lease (S24)", () => {
  it("is renewed long before it runs out, and an effect asks for nothing more", async () => {
    const { keeper, lost, asked, wait, waiting } = keeperOn(() => "renewed");
    await wait(60_000);
    expect(asked[0]).toBe(4_000);
    expect(waiting()).toBe(1);
    const before = asked.length;
    await keeper.confirm();
    expect(asked.length).toBe(before);
    expect(lost).toEqual([]);
    keeper.stop();
  });

  it.each(["refused", "silent"] as const)(
    "runs out while the store is %s: the turn ends then",
    async (answer) => {
      const { keeper, lost, wait } = keeperOn(() => answer);
      await wait(14_000);
      expect(lost).toEqual([]);
      await wait(2_250);
      expect(lost).toMatchObject([{ name: "LeaseLostError", message: expect.stringContaining("ran out") }]);
      await expect(keeper.confirm()).rejects.toThrow("ran out");
    },
  );

  it("is renewed just before an effect by a process that was frozen, and nobody had taken it", async () => {
    const { keeper, lost, asked, freeze } = keeperOn(() => "renewed");
    freeze(40_000);
    await keeper.confirm();
    expect(asked).toEqual([40_000]);
    expect(lost).toEqual([]);
    keeper.stop();
  });

  it("lets a process that was frozen do nothing once somebody else has taken it", async () => {
    const { keeper, lost, freeze } = keeperOn(() => "taken");
    freeze(40_000);
    await expect(keeper.confirm()).rejects.toThrow("lease of session s");
    expect(lost).toMatchObject([{ message: "the lease of session s was taken by another process" }]);
    expect(keeper.lost).toBe(true);
  });

  it("is not renewed by a write that gives it back, and again when that write failed", async () => {
    const { keeper, asked, wait } = keeperOn(() => "renewed");
    keeper.holdStill();
    await wait(10_000);
    expect(asked).toEqual([]);
    keeper.goOn();
    await wait(5_000);
    expect(asked).toEqual([14_000]);
    keeper.stop();
  });
});
