import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/index.ts";
import { campaignSize, CAMPAIGN_TIMEOUT_MS, reproduction } from "./campaign-size.ts";
import { diceOf } from "./dice.ts";
import { runCrowd, violationsOf, type Fact } from "./processes.ts";
import { summaryOf } from "./store-summary.ts";

const { seed, from, runs } = campaignSize(1);
const isLong = process.env["BASIS_CAMPAIGN_RUNS"] !== undefined;
const size = isLong
  ? { processes: 8, operations: 200, kills: 4 }
  : { processes: 4, operations: 25, kills: 2 };

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sqlite-processes-"));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function play(index: number): Promise<{ facts: readonly Fact[]; killed: number }> {
  const path = join(directory, String(index), "store.db");
  const crowd = await runCrowd({ path, ...size, dice: diceOf(seed * 1_000_003 + index) });
  await summaryOf(path);
  const store = await openSqliteStore(path);
  const violations = await violationsOf(store, crowd.facts);
  if (violations.length > 0) {
    throw new Error(`${reproduction("sqlite-processes", seed, index)}\n${violations.join("\n")}`);
  }
  await store.close();
  return crowd;
}

describe("many processes on one file, some of them killed", () => {
  // F109, F110, S26; section 9: kill -9 at any point
  test(
    "lose nothing that was acknowledged, say nothing twice and make one child of a key",
    async () => {
      const tally = new Map<string, number>();
      const add = (what: string, by: number): void => void tally.set(what, (tally.get(what) ?? 0) + by);
      for (let index = from; index < from + runs; index += 1) {
        const { facts, killed } = await play(index);
        add("killed", killed);
        for (const [what = "", code = ""] of facts) add(what === "refused" ? `refused: ${code}` : what, 1);
      }
      const counts = JSON.stringify(Object.fromEntries(tally));
      const { processes, operations } = size;
      console.log(
        `sqlite-processes: seed ${seed}, from ${from}, ${runs} files, ${processes} processes × ${operations} operations, 0 violations: ${counts}`,
      );
      expect(tally.get("killed")).toBe(size.kills * runs);
      expect(tally.get("finished")).toBe(size.processes * runs);
    },
    CAMPAIGN_TIMEOUT_MS,
  );
});
