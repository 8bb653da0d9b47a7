import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Ended, Running } from "../cli/support/basis-process.ts";
import { Bench } from "../cli/support/bench.ts";
import { databaseOf } from "../harness/database-state.ts";
import { campaignSize, randomOf } from "./campaign-size.ts";

const LEASE_MS = 2_000;
const WORKERS = 3;
const TURNS_A_CYCLE = 2;
/** About as long as a turn takes. */
const MAX_DELAY_MS = 1_500;
const HOURS = 6 * 60 * 60 * 1000;
const KINDS = "user assistant tool assistant tool assistant".split(" ");
const { seed, from, runs } = campaignSize(2);

interface Row {
  readonly kind: string;
  readonly message: unknown;
}

/** Workers on one database, of which some are killed or frozen. */
class Fleet {
  readonly bench = new Bench();
  readonly #env: Record<string, string>;
  readonly #model: string;
  readonly workers: Running[] = [];

  constructor() {
    const { url, schema } = databaseOf(this.bench.base);
    const address = new URL(url);
    address.searchParams.set("schema", schema);
    this.#env = { BASIS_STORE: address.href };
    const call = (name: string) => ({
      calls: [{ name: "run", input: { argv: ["sh", "-c", `echo ran >> ${this.#mark(name)}; sleep 0.3`] } }],
    });
    this.#model = this.bench.script([call("first"), call("second"), { text: "done" }]);
  }

  async fill(): Promise<void> {
    const options = ["--lease", `${LEASE_MS}ms`, "--concurrency", "2", "--approve", "always", "--allow-run"];
    while (this.workers.length < WORKERS) {
      const worker = this.bench.start(["worker", ...options, "--model", this.#model], { env: this.#env });
      this.workers.push(worker);
      await worker.saw("serves");
    }
  }

  queue(): Promise<Ended> {
    return this.bench.run(["run", "--queue", "--allow-run", "--json", "go on"], { env: this.#env });
  }

  async rows(session: string): Promise<readonly Row[]> {
    const { stdout } = await this.bench.run(["sessions", "show", session, "--json"], { env: this.#env });
    return stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Row);
  }

  ran(name: string): number {
    return existsSync(this.#mark(name))
      ? readFileSync(this.#mark(name), "utf8").trimEnd().split("\n").length
      : 0;
  }

  #mark(name: string): string {
    return join(this.bench.base, name);
  }

  end(): void {
    for (const worker of this.workers) worker.kill("SIGKILL");
    this.bench.remove();
  }
}

const wasInterrupted = ({ message }: Row): boolean => JSON.stringify(message).includes("interrupted: ");

/** Harms one worker while turns run; the worker that froze goes on after the takeover. */
async function harmedOnce(fleet: Fleet, index: number): Promise<readonly Ended[]> {
  const random = randomOf(seed, index);
  await fleet.fill();
  const turns = Array.from({ length: TURNS_A_CYCLE }, () => fleet.queue());
  await sleep(random() * MAX_DELAY_MS);
  const [victim] = fleet.workers.splice(Math.floor(random() * WORKERS), 1);
  const freezes = random() < 0.5;
  victim!.kill(freezes ? "SIGSTOP" : "SIGKILL");
  const ended = await Promise.all(turns);
  if (freezes) {
    victim!.kill("SIGCONT");
    fleet.workers.push(victim!);
  }
  return ended;
}

/** How often each of the two calls is known to have run to its end. */
async function known(fleet: Fleet, ended: Ended): Promise<readonly number[]> {
  expect({ code: ended.code, stderr: ended.code === 0 ? "" : ended.stderr }).toEqual({ code: 0, stderr: "" });
  const events = ended.events();
  for (const type of ["run_started", "run_finished"])
    expect(events.filter((event) => event.type === type)).toHaveLength(1);
  const rows = await fleet.rows(ended.event("run_started").session);
  expect(rows.map(({ kind }) => kind)).toEqual(KINDS);
  return [rows[2]!, rows[4]!].map((row) => (wasInterrupted(row) ? 0 : 1));
}

test(
  `${runs} times a worker is killed or frozen: every turn ends once, no completed call runs again`,
  { timeout: HOURS },
  async () => {
    const fleet = new Fleet();
    const sure = [0, 0];
    let turns = 0;
    try {
      for (let index = from; index < from + runs; index += 1) {
        for (const ended of await harmedOnce(fleet, index)) {
          const [first, second] = await known(fleet, ended);
          sure[0]! += first!;
          sure[1]! += second!;
          turns += 1;
        }
        for (const [at, name] of ["first", "second"].entries()) {
          expect(fleet.ran(name), `cycle ${index}: ${name}`).toBeGreaterThanOrEqual(sure[at]!);
          expect(fleet.ran(name), `cycle ${index}: ${name}`).toBeLessThanOrEqual(turns);
        }
      }
    } finally {
      fleet.end();
    }
    expect(turns).toBe(runs * TURNS_A_CYCLE);
  },
);
