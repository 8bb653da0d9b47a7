import { describe, expect, it } from "vitest";
import { campaignSize } from "../campaigns/campaign-size.ts";
import { allRules, type Rules } from "./rules.ts";
import { simulate } from "./simulate.ts";

const { seed, from, runs } = campaignSize(100);

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
    ["fits", "ran where it may not", 0],
    ["knowsIds", "rows lost or doubled", 0],
    ["fences", "wrote after a takeover", 0],
    ["writesIntents", "acted twice", 0],
    ["confirms", "acted after a takeover", 0],
    ["hasWriteIds", "rows lost or doubled", 140],
    ["looksForRows", "rows lost or doubled", 0],
    ["sweeps", "not ended", 0],
    ["asksTheDatabasesClock", "taken over late", 0],
    ["keepsByMonotonicClock", "acted after a takeover", 140],
  ] as const satisfies readonly (readonly [keyof Rules, string, number])[])(
    "catches hosts that do without '%s': %s",
    async (missing, wrong, first) => {
      expect(await firstWrong({ ...allRules, [missing]: false }, { wrong, first })).toEqual(
        expect.stringContaining(wrong),
      );
    },
  );
});

/** What schedules without a rule are to show, and from which on: some are rare. */
interface Sign {
  readonly wrong: string;
  readonly first: number;
}

/** The first sign that schedules without a rule show; undefined when 600 of them show none. */
async function firstWrong(rules: Rules, { wrong, first }: Sign): Promise<string | undefined> {
  for (let index = first; index < first + 600; index += 1) {
    const found = (await simulate(1, index, rules)).find((text) => text.startsWith(wrong));
    if (found !== undefined) return found;
  }
  return undefined;
}
