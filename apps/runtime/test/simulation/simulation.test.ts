import { describe, expect, it } from "vitest";
import { campaignSize } from "../campaigns/campaign-size.ts";
import { allRules, type Rules } from "./rules.ts";
import { simulate } from "./simulate.ts";

const { seed, from, runs } = campaignSize(200);

describe("simulated workers, cuts and clock jumps", () => {
  it(
    "S23 S24 S27: no message is lost or doubled, no call runs twice, nobody acts after a takeover, and every turn ends in time",
    { timeout: 60_000 + runs * 100 },
    async () => {
      for (let index = from; index < from + runs; index += 1)
        expect(await simulate(seed, index, allRules), `schedule ${index} of seed ${seed}`).toEqual([]);
    },
  );

  it.each([
    ["fits", "ran where it may not"],
    ["knowsIds", "rows lost or doubled"],
    ["fences", "wrote after a takeover"],
    ["writesIntents", "acted twice"],
    ["confirms", "acted after a takeover"],
    ["hasWriteIds", "rows lost or doubled"],
    ["looksForRows", "rows lost or doubled"],
    ["sweeps", "not ended"],
    ["asksTheDatabasesClock", "taken over late"],
    ["keepsByMonotonicClock", "acted after a takeover"],
  ] as const satisfies readonly (readonly [keyof Rules, string])[])(
    "catches hosts that do without '%s': %s",
    async (missing, wrong) => {
      expect(await firstWrong({ ...allRules, [missing]: false }, wrong)).toEqual(
        expect.stringContaining(wrong),
      );
    },
  );
});

/** The first sign that schedules without a rule show; undefined when 600 of them show none. */
async function firstWrong(rules: Rules, wrong: string): Promise<string | undefined> {
  for (let index = 0; index < 600; index += 1) {
    const found = (await simulate(1, index, rules)).find((text) => text.startsWith(wrong));
    if (found !== undefined) return found;
  }
  return undefined;
}
