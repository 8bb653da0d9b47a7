import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureHook, quantile } from "../../src/cli/measure-hook.ts";
import { sampleCallFor } from "../../src/cli/sample-call.ts";
import { createHookChain } from "../../src/index.ts";
import { listedHook } from "./support/listed-hook.ts";

describe("quantile", () => {
  it("is a value of the list that at most the rest exceed", () => {
    const sorted = fc.array(fc.nat(), { minLength: 1 }).map((list) => list.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(sorted, fc.double({ min: 0.01, max: 1, noNaN: true }), (list, part) => {
        const found = quantile(list, part);
        expect(list).toContain(found);
        expect(list.filter((value) => value > found).length).toBeLessThanOrEqual(
          list.length * (1 - part) + 1e-9,
        );
      }),
    );
    expect(quantile([], 0.5)).toBe(0);
  });
});

describe("measureHook", () => {
  it("asks as often as told, sets a worker's first answer apart, and keeps each failure once", async () => {
    let asked = 0;
    const intercept = () => {
      asked += 1;
      if (asked > 2) throw new Error("tired");
      return { decision: "deny" } as const;
    };
    const chain = createHookChain({
      workspace: "/w",
      participants: [{ name: "guard", intercept }],
      report: () => undefined,
    });
    const question = sampleCallFor(listedHook().settings)!;
    const { signal } = new AbortController();
    const times = await measureHook(chain, question, { runs: 4, isWorker: true, signal });
    expect(asked).toBe(5);
    expect(times.runs).toBe(4);
    expect(times.failures).toEqual([expect.stringContaining("tired")]);
    expect(times.p99Ms).toBeGreaterThanOrEqual(times.medianMs);
  });
});
