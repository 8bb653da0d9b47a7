import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureHook, quantile } from "../../src/cli/measure-hook.ts";
import { sampleCallFor } from "../../src/cli/sample-call.ts";
import { createHookChain, type HookAnswer } from "../../src/index.ts";
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
  it("asks as often as told, and sets a worker's first answer apart", async () => {
    expect(await measured(() => ({ decision: "deny" }), 4)).toMatchObject({
      asked: 5,
      runs: 4,
      failures: [],
    });
  });

  it("keeps each failure once, and gives up on a hook after the third", async () => {
    const times = await measured((asked) => {
      if (asked > 2) throw new Error("tired");
      return { decision: "allow" };
    }, 20);
    expect(times).toMatchObject({ asked: 5, runs: 4, failures: [expect.stringContaining("tired")] });
    expect(times.p99Ms).toBeGreaterThanOrEqual(times.medianMs);
  });
});

/** Measures a worker that answers by how often it was asked. */
async function measured(answer: (asked: number) => HookAnswer, runs: number) {
  let asked = 0;
  const intercept = (): HookAnswer => {
    asked += 1;
    return answer(asked);
  };
  const chain = createHookChain({
    workspace: "/w",
    participants: [{ name: "guard", intercept }],
    report: () => undefined,
  });
  const question = sampleCallFor(listedHook().settings)!;
  const { signal } = new AbortController();
  return { ...(await measureHook(chain, question, { runs, isWorker: true, signal })), asked };
}
