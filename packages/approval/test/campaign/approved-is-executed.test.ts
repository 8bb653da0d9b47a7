import { describe, expect, it } from "vitest";
import { mutations } from "./mutations.ts";
import { playCase } from "./play-case.ts";
import { campaignSize, choicesOf } from "./random.ts";

const { seed, from, runs } = campaignSize(500);
const repeat = (index: number): string =>
  `npm run campaign -- approved-is-executed --seed ${seed} --from ${index} --runs 1`;

// S10, D11
describe("between an approval and its execution", () => {
  it(
    "anything may change, and what ran is what was approved",
    { timeout: Math.max(60_000, runs * 100) },
    async () => {
      const seen = new Set<string>();
      let ran = 0;
      let refused = 0;
      for (let index = from; index < from + runs; index += 1) {
        const played = await playCase(choicesOf(seed, index));
        ran += played.ran;
        refused += played.refused;
        for (const step of played.steps) seen.add(step);
        if (played.violations.length === 0) continue;
        expect.fail(`${played.violations.join("; ")}\n  ${played.steps.join("\n  ")}\n${repeat(index)}`);
      }
      if (runs < 500) return;
      expect([...seen]).toEqual(expect.arrayContaining(mutations.map(({ kind }) => kind)));
      const causes = ["changed", "expired", "redeemed", "denied", "open"].map(
        (cause) => `refused call-1: ${cause}`,
      );
      expect([...seen]).toEqual(
        expect.arrayContaining([
          ...causes,
          "refused call-2: unknown",
          "answered allow: false",
          "answered deny: false",
        ]),
      );
      expect(ran).toBeGreaterThan(runs / 10);
      expect(refused).toBeGreaterThan(runs / 2);
    },
  );

  it("would be found out if the host did not look again", async () => {
    const violations: string[] = [];
    for (let index = 0; index < 60; index += 1) {
      violations.push(...(await playCase(choicesOf(1, index), "careless")).violations);
    }
    expect(violations).toContain("call-1 ran without a live yes to exactly this");
  });
});
