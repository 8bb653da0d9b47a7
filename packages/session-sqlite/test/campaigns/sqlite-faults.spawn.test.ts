import { diceOf } from "./dice.ts";
import { afterEach, describe, expect, test } from "vitest";
import { campaignSize, CAMPAIGN_TIMEOUT_MS, reproduction } from "./campaign-size.ts";
import { FaultBench, OPERATIONS, type FaultSchedule, type Means } from "./faults.ts";
import { isTracingAllowed } from "./strace.ts";

const { seed, from, runs } = campaignSize(10);
const means: Means = isTracingAllowed() ? "strace" : "port";

/** The command asks for all operations; the short form takes two, and is the same each time. */
const isLong = process.env["BASIS_CAMPAIGN_RUNS"] !== undefined;
const SHORT_FORM =
  "vitest run --project spawning packages/session-sqlite/test/campaigns/sqlite-faults.spawn.test.ts";

/** Faults between two signs of life of a long run. */
const PROGRESS_EVERY = 100;

let bench: FaultBench | undefined;

afterEach(() => bench?.close());

/** Every schedule, in the order of the seed. */
async function shuffled(of: FaultBench, operations: readonly string[]): Promise<FaultSchedule[]> {
  const dice = diceOf(seed);
  const schedules: FaultSchedule[] = [];
  for (const operation of operations) schedules.push(...(await of.schedules(operation)));
  for (let at = schedules.length - 1; at > 0; at -= 1) {
    const other = dice(at + 1);
    [schedules[at], schedules[other]] = [schedules[other]!, schedules[at]!];
  }
  return schedules;
}

/** Plays them all; answers what came of them. @throws Error that names every violation. */
async function play(of: FaultBench, schedules: readonly FaultSchedule[], first: number): Promise<string> {
  const tally = new Map<string, number>();
  const violations: string[] = [];
  for (const [index, schedule] of schedules.entries()) {
    const { operation, fault } = schedule;
    const outcome = await of.play(schedule).catch((error: unknown) => {
      const where = `${operation}: ${fault.kind} at ${fault.call} ${fault.nth}`;
      violations.push(
        `${where}; ${isLong ? reproduction("sqlite-faults", seed, first + index) : SHORT_FORM}\n${String(error)}`,
      );
      console.log(violations.at(-1));
      return "violated";
    });
    const name = `${fault.kind} ${outcome}`;
    tally.set(name, (tally.get(name) ?? 0) + 1);
    if ((index + 1) % PROGRESS_EVERY > 0) continue;
    const goOn = `npm run campaign -- sqlite-faults --seed ${seed} --from ${first + index + 1}`;
    console.log(`${index + 1} faults, ${violations.length} violations; if cut off here: ${goOn}`);
  }
  if (violations.length > 0) throw new Error(violations.join("\n\n"));
  return JSON.stringify(Object.fromEntries(tally));
}

describe("a kill, a full disk and an IO error at the writes and syncs of a store", () => {
  // D21, S30; section 9: kill -9 at any point, a retry after any injected fault converges
  test(
    "lose nothing that was acknowledged, leave nothing half visible, and are told as typed errors",
    async () => {
      bench = new FaultBench(means);
      const operations = isLong ? OPERATIONS : [OPERATIONS[seed % 5]!, OPERATIONS[5 + (seed % 3)]!];
      const all = await shuffled(bench, operations);
      const chosen = all.slice(from, from + runs);
      const told = await play(bench, chosen, from);
      console.log(
        `sqlite-faults: by ${means}, seed ${seed}, ${chosen.length} of ${all.length} faults in ${operations.join(", ")}: ${told}, 0 violations`,
      );
      expect(chosen.length).toBeGreaterThan(0);
    },
    CAMPAIGN_TIMEOUT_MS,
  );

  // D21: where ptrace is not allowed
  test("do so as well when they are injected at the driver port", async () => {
    bench = new FaultBench("port");
    const all = await shuffled(bench, ["calls"]);
    expect(all.length).toBeGreaterThan(30);
    await play(bench, all.slice(0, 3), 0);
  });

  // The name's directory could not be synced: the caller is told that there is no backup, so there is none
  test("at the last sync of a backup take its name back, and at a removal hide nothing", async () => {
    if (means === "port") {
      console.log(
        "sqlite-faults: a sync of a directory fails by strace alone, and no process may be traced here",
      );
      return;
    }
    bench = new FaultBench(means);
    const all = await bench.schedules("backup");
    const syncs = all.filter(({ fault }) => fault.call === "fsync");
    const last = Math.max(...syncs.map(({ fault }) => fault.nth));
    const failing = syncs.find(({ fault }) => fault.nth === last && fault.kind === "io");
    expect(await bench.play(failing!)).toBe("refused");
    const removals = all.filter(({ fault }) => fault.call === "unlink" && fault.kind !== "kill");
    expect(removals.length).toBeGreaterThan(2);
    for (const removal of removals.slice(0, 4)) await bench.play(removal);
  });
});
