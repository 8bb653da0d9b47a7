import { getEventListeners } from "node:events";
import type { RunReport } from "@basis/core";
import { manualClock } from "@basis/core/testing";
import { describe, expect, it, vi } from "vitest";
import { runOutput, type OutputOptions, type TurnRequest, type TurnRunner } from "../src/index.ts";
import { scriptedRunner } from "../src/testing/index.ts";
import { good, total } from "./support/asking.ts";

const { capabilities } = scriptedRunner([]);
const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };
const report: RunReport = { runId: "r", outcome: "completed", usage };

async function answer({ gate }: TurnRequest): Promise<void> {
  gate.offer();
  const { terminal } = gate.admit([{ toolCallId: "c", toolName: gate.toolName, input: good }]);
  await gate.settle(terminal[0]!);
  gate.close();
}

/** A host that answers and then returns, or does not; `run` is told when the answer is given. */
function host(then: (request: TurnRequest) => unknown = () => report): TurnRunner {
  return {
    capabilities,
    run: async (request) => {
      await answer(request);
      return then(request) as RunReport;
    },
  };
}

/** A run whose host hangs, once it has answered. */
async function hung(options: OutputOptions): Promise<{ readonly status: Promise<string> }> {
  let answered: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    answered = resolve;
  });
  const runner = host(() => {
    answered();
    return new Promise(() => undefined);
  });
  const status = runOutput(runner, total, "Go.", options).then((attempt) => attempt.status);
  await reached;
  return { status };
}

// case 69
describe("a host that does not return", () => {
  it("is given up when its own grace is over, whoever else is waited for", async () => {
    const clock = manualClock();
    const given: string[] = [];
    for (const graceMs of [200, 50, 100]) {
      const run = await hung({ clock, graceMs });
      void run.status.then((status) => given.push(`${graceMs} ${status}`));
    }
    const seen = async (ms: number) => {
      clock.advance(ms);
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      return [...given];
    };
    expect(await seen(49)).toEqual([]);
    expect(await seen(1)).toEqual(["50 failed"]);
    expect(await seen(50)).toEqual(["50 failed", "100 failed"]);
    expect(await seen(100)).toEqual(["50 failed", "100 failed", "200 failed"]);
  });

  it("costs one alarm, not one for each run", async () => {
    const clock = { ...manualClock(), alarm: vi.fn(manualClock().alarm) };
    for (let run = 0; run < 20; run += 1) await runOutput(host(), total, "Go.", { clock });
    expect(clock.alarm).toHaveBeenCalledTimes(1);
  });
});

/** A manual clock that counts the alarms set and those that still wait. */
function countingClock() {
  const clock = manualClock();
  const alarms = { set: 0, waiting: 0 };
  const alarm: typeof clock.alarm = (delayMs, ring) => {
    alarms.set += 1;
    alarms.waiting += 1;
    let waits = true;
    const over = (): void => {
      if (waits) alarms.waiting -= 1;
      waits = false;
    };
    const cancel = clock.alarm(delayMs, () => {
      over();
      ring();
    });
    return () => {
      over();
      cancel();
    };
  };
  return { clock: { ...clock, alarm }, alarms };
}

// cases 39 and 42
describe("a run that is over", () => {
  it("waits for nobody: the shared alarm rings once and is not set again", async () => {
    const { clock, alarms } = countingClock();
    await runOutput(host(), total, "Go.", { clock, graceMs: 100 });
    clock.advance(10);
    await runOutput(host(), total, "Go.", { clock, graceMs: 100 });
    expect(alarms).toEqual({ set: 1, waiting: 1 });
    clock.advance(200);
    expect(alarms).toEqual({ set: 1, waiting: 0 });
  });

  it("has let go of its deadline and of the caller's signal, which it held while it ran", async () => {
    const { clock, alarms } = countingClock();
    const caller = new AbortController();
    const held = () => [getEventListeners(caller.signal, "abort").length, alarms.waiting];
    const during: number[][] = [];
    const runner: TurnRunner = {
      capabilities,
      run: async () => {
        during.push(held());
        return { ...report, outcome: "failed", failure: new Error("lost") };
      },
    };
    const bounds = { deadlineMs: 1_000 };
    await runOutput(runner, total, "Go.", { clock, bounds, signal: caller.signal });
    expect([...during, held()]).toEqual([
      [1, 1],
      [0, 0],
    ]);
  });
});

// cases 39 and 61
describe("the signal of a run", () => {
  it("is made for a host or a validator that reads it, and for nobody else", async () => {
    let made = 0;
    class Counted extends AbortController {
      constructor() {
        super();
        made += 1;
      }
    }
    vi.stubGlobal("AbortController", Counted);
    try {
      await runOutput(host(), total, "Go.", { validate: (value) => ({ decision: "accept", value }) });
      expect(made).toBe(0);
      const runner = host(({ signal }) => (signal.aborted ? undefined : report));
      expect(await runOutput(runner, total, "Go.")).toMatchObject({ status: "accepted" });
      expect(made).toBe(1);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("tells who reads it late what happened before, and aborts for who read it early", async () => {
    const caller = new AbortController();
    const reasons: unknown[] = [];
    const runner: TurnRunner = {
      capabilities,
      run: async (request) => {
        const early = request.signal;
        caller.abort("enough");
        reasons.push(early.reason, request.signal.reason, early === request.signal);
        return { ...report, outcome: "cancelled" };
      },
    };
    expect(await runOutput(runner, total, "Go.", { signal: caller.signal })).toMatchObject({
      status: "cancelled",
    });
    const late: TurnRunner = {
      capabilities,
      run: async (request) => {
        reasons.push(request.signal.reason);
        return { ...report, outcome: "cancelled" };
      },
    };
    await runOutput(late, total, "Go.", { signal: AbortSignal.abort("before") });
    expect(reasons).toEqual(["enough", "enough", true, "before"]);
  });

  it("ends the run as soon as its host returns, with no wait of its own", async () => {
    const caller = new AbortController();
    let entered: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (entered = resolve));
    const runner: TurnRunner = {
      capabilities,
      run: ({ gate, signal }) =>
        new Promise((resolve) => {
          gate.offer();
          signal.addEventListener("abort", () => resolve({ ...report, outcome: "cancelled" }));
          entered();
        }),
    };
    let status: string | undefined;
    const clock = manualClock();
    void runOutput(runner, total, "Go.", { signal: caller.signal, clock }).then((attempt) => {
      ({ status } = attempt);
      expect(attempt.report?.outcome).toBe("cancelled");
    });
    await begun;
    caller.abort();
    await new Promise((next) => void setImmediate(next));
    expect(status).toBe("cancelled");
  });

  it("asks no validator once it was aborted, and lets none accept that aborts it", async () => {
    const asked = async (when: "before" | "within") => {
      const caller = new AbortController();
      let calls = 0;
      const validate: OutputOptions["validate"] = (value) => {
        calls += 1;
        caller.abort();
        return { decision: "accept", value };
      };
      const runner: TurnRunner = {
        capabilities,
        run: async ({ gate }) => {
          gate.offer();
          const { terminal } = gate.admit([{ toolCallId: "c", toolName: gate.toolName, input: good }]);
          if (when === "before") caller.abort();
          await gate.settle(terminal[0]!);
          return report;
        },
      };
      const { status } = await runOutput(runner, total, "Go.", { validate, signal: caller.signal });
      return [status, calls];
    };
    expect(await asked("before")).toEqual(["cancelled", 0]);
    expect(await asked("within")).toEqual(["cancelled", 1]);
  });

  it("of a host that throws says cancelled after an abort, and has no report before the first round", async () => {
    const caller = new AbortController();
    const throws = (begin: boolean): TurnRunner => ({
      capabilities,
      run: async ({ gate }) => {
        if (begin) gate.offer();
        if (begin) caller.abort();
        throw new Error("lost");
      },
    });
    const early = await runOutput(throws(false), total, "Go.", { signal: caller.signal });
    expect([early.status, early.report]).toEqual(["failed", undefined]);
    const late = await runOutput(throws(true), total, "Go.", { signal: caller.signal });
    expect([late.status, late.report?.outcome]).toEqual(["cancelled", "cancelled"]);
  });
});
