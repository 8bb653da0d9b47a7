import { describe, expect, test } from "vitest";
import { campaignSize, CAMPAIGN_TIMEOUT_MS, reproduction } from "./campaign-size.ts";
import { caseSeed, playInterleaving } from "./interleaving.ts";

const { seed, from, runs } = campaignSize(1500);

describe("actors on one memory store, interleaved and killed at their awaits", () => {
  // Section 9 of the fork specification: its invariants, with a kill at any point and a retry after it
  test(
    "leave every prefix what it was, every key one child, and nothing acknowledged lost",
    async () => {
      const tally = new Map<string, number>();
      const add = (what: string, by: number): void => void tally.set(what, (tally.get(what) ?? 0) + by);
      for (let index = from; index < from + runs; index += 1) {
        const played = await playInterleaving(caseSeed(seed, index)).catch((cause: unknown) => {
          throw new Error(reproduction("session-interleavings", seed, index), { cause });
        });
        add("turns", played.turns);
        add("kills", played.crashes);
        for (const [what, times] of played.world.tally) add(what, times);
      }
      const counts = JSON.stringify(Object.fromEntries([...tally].toSorted(([a], [b]) => (a < b ? -1 : 1))));
      console.log(
        `session-interleavings: seed ${seed}, from ${from}, ${runs} cases, 0 violations: ${counts}`,
      );
      const wanted = [
        "append",
        "append replayed",
        "cancel",
        "commit",
        "commit replayed",
        "seated",
        "abandoned",
      ];
      const upkeep = ["collection", "rebase", "redaction", "deletion", "read", "recovered", "kills"];
      expect(runs < 1000 ? [] : [...wanted, ...upkeep].filter((what) => !tally.has(what))).toEqual([]);
    },
    CAMPAIGN_TIMEOUT_MS,
  );
});
