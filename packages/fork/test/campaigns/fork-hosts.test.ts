import { describe, expect, it } from "vitest";
import { campaignSize, CAMPAIGN_TIMEOUT_MS, reproduction } from "./campaign-size.ts";
import { playHosts } from "./fork-hosts.ts";

const { seed, from, runs } = campaignSize(400);

describe("hosts that fork on one store, interleaved and killed at their awaits", () => {
  // Section 9: one key makes at most one child, kill -9 at any point leaves a resumable or absent fork, a retry converges;
  // F64 racers, F86–F103, S26
  it(
    "make one child of a key, lose no answer and leave nothing that cannot be ended",
    async () => {
      const tally = new Map<string, number>();
      const add = (what: string, by: number): void => void tally.set(what, (tally.get(what) ?? 0) + by);
      for (let index = from; index < from + runs; index += 1) {
        const played = await playHosts(Math.imul(seed + 1, 0x9e3779b1) ^ index).catch((cause: unknown) => {
          throw new Error(reproduction("fork-hosts", seed, index), { cause });
        });
        add("kills", played.kills);
        for (const [what, times] of played.tally) add(what, times);
      }
      const counts = JSON.stringify(Object.fromEntries(tally));
      console.log(`fork-hosts: seed ${seed}, from ${from}, ${runs} cases, 0 violations: ${counts}`);
      const wanted = ["forked", "replayed", "resumed", "abandoned", "recovered", "kills"];
      expect(runs < 200 ? [] : wanted.filter((what) => !tally.has(what))).toEqual([]);
    },
    CAMPAIGN_TIMEOUT_MS,
  );

  /** Mistakes that a store could make, each of which some case must find. */
  const mistakes: Readonly<Record<string, Parameters<typeof playHosts>[1]>> = {
    "forgets the key of a fork": (forks) => ({
      ...forks,
      commit: (request) => forks.commit({ ...request, idempotencyKey: undefined }),
    }),
    "forgets what a child is to begin with": (forks) => ({
      ...forks,
      commit: (request) => forks.commit({ ...request, allowEmpty: true, at: 0 }),
    }),
    "gives up a fork that it was to seat": (forks) => ({
      ...forks,
      seat: async (request) => {
        const operation = await forks.abandon({
          operationId: request.claim.operationId,
          claim: request.claim,
        });
        return { operation, replayed: false } as never;
      },
    }),
  };

  it.each(Object.entries(mistakes))("would be found out by some case if the store %s", async (_, mistake) => {
    const problems: unknown[] = [];
    for (let at = 0; at < 30; at += 1)
      await playHosts(at, mistake).catch((error: unknown) => problems.push(error));
    expect(problems.length).toBeGreaterThan(0);
  });
});
