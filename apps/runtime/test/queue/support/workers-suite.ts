import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { pidsIn, until } from "../../crash/support/processes.ts";
import type { Ended, Running } from "../../cli/support/basis-process.ts";
import { Bench } from "../../cli/support/bench.ts";
import { refused } from "../../cli/support/refused.ts";
import type { StoreOf } from "./queued-runs-suite.ts";

let bench: Bench;
let env: Readonly<Record<string, string>>;
let workers: Running[];
let storeOf: StoreOf;
beforeEach(() => {
  bench = new Bench();
  workers = [];
  env = storeOf(bench);
});
afterEach(() => {
  for (const worker of workers) worker.kill("SIGKILL");
  bench.remove();
});

/** What every worker is, and every turn that is queued for it. */
const allowing = ["--allow-run"];

async function work(model: string): Promise<Running> {
  const options = ["--lease", "2s", "--drain", "1s", "--concurrency", "2", "--approve", "always"];
  const worker = bench.start(["worker", ...options, ...allowing, "--model", model], { env });
  workers.push(worker);
  await worker.saw("serves");
  return worker;
}

const queue = (...argv: string[]): Running => bench.start(["run", "--queue", ...argv], { env });
const file = (name: string): string => join(bench.base, name);
const lines = (name: string): number => readFileSync(file(name), "utf8").trimEnd().split("\n").length;
const say = async (...argv: string[]): Promise<Ended> => bench.run(argv, { env });

/** The only turn that runs. */
async function running(): Promise<{ readonly turn: string; readonly worker: string }> {
  const { stdout } = await say("queue", "list", "--state", "running", "--json");
  const [turn] = (JSON.parse(stdout) as { turns: { turn: string; worker: string }[] }).turns;
  return turn!;
}

/** The worker that runs it. */
async function holder(): Promise<Running> {
  const pid = Number((await running()).worker.split(":").at(-2));
  return workers.find((worker) => worker.pid === pid)!;
}

/** A turn that runs one call to its end, and then one that never ends by itself. */
function script(): string {
  const call = (text: string) => ({ calls: [{ name: "run", input: { argv: ["sh", "-c", text] } }] });
  const done = call(`echo ran >> ${file("done")}`);
  const slow = call(`echo $$ >> ${file("slow")}; exec sleep 60`);
  return bench.script([done, slow, { text: "after it" }]);
}

/** What the session holds: the completed call once, and the one in flight as of unknown outcome. */
async function expectTakenOver(ended: Ended, turns: number): Promise<void> {
  expect(ended).toMatchObject({ code: 0 });
  expect(lines("done")).toBe(turns);
  expect(lines("slow")).toBe(turns);
  const { session } = ended.event("run_started");
  const { stdout } = await say("sessions", "show", session, "--json");
  const rows = stdout.trimEnd().split("\n");
  expect(rows.map((row) => (JSON.parse(row) as { kind: string }).kind)).toEqual(
    "user assistant tool assistant tool assistant".split(" "),
  );
  expect(rows[4]).toContain("interrupted: outcome unknown");
  expect(ended.events().filter(({ type }) => type === "run_started")).toHaveLength(1);
  expect(ended.events().filter(({ type }) => type === "run_finished")).toHaveLength(1);
  expect(
    ended
      .events()
      .some(({ type, data }) => type === "notice" && "code" in data && data.code === "taken_over"),
  ).toBe(true);
}

/** Eleven processes in turn and two leases: 20 s on a database at a load of 12, and as much more as the load is higher. */
const SLOW_MACHINE_MS = 180_000;

/** What workers keep to when one of them freezes, dies, drains or does not fit, wherever the queue lies. */
export function workersSuite(of: StoreOf): void {
  storeOf = of;

  it(
    "S24: a turn whose worker froze, and then one whose worker died, are gone on with; nothing runs twice",
    async () => {
      const model = script();
      await Promise.all([work(model), work(model)]);
      const first = queue(...allowing, "--json", "go on");
      await until("the slow call runs", () => pidsIn(file("slow")).length === 1);
      const frozen = await holder();
      frozen.kill("SIGSTOP");
      const afterFreeze = await first.ended;
      await expectTakenOver(afterFreeze, 1);
      frozen.kill("SIGCONT");
      await frozen.saw("goes on at another worker");

      const second = queue(...allowing, "--json", "go on again");
      await until("the slow call runs again", () => pidsIn(file("slow")).length === 2);
      const dying = await holder();
      dying.kill("SIGKILL");
      await expectTakenOver(await second.ended, 2);
      const { session } = afterFreeze.event("run_started");
      const { stdout } = await say("sessions", "show", session, "--json");
      expect(stdout.trimEnd().split("\n")).toHaveLength(6);

      const living = workers.find((worker) => worker !== dying)!;
      living.kill("SIGTERM");
      expect(await living.ended).toMatchObject({ code: 0 });
    },
    SLOW_MACHINE_MS,
  );

  it("S23: leave a turn to a worker that fits it; one that is cancelled, or handed back, is run by nobody or by another", async () => {
    const model = script();
    const worker = await work(model);
    const misfit = queue("--json", "for a worker without run");
    await worker.saw("plan_mismatch");
    await misfit.saw('"code":"plan_mismatch"');
    await worker.saw("queued with another roster, tools");
    const { turns } = JSON.parse((await say("queue", "list", "--json")).stdout) as {
      turns: { turn: string }[];
    };
    expect(await say("cancel", turns[0]!.turn)).toMatchObject({ code: 0 });
    expect(await misfit.ended).toMatchObject({ code: 130 });

    const unwanted = queue(...allowing, "--json", "never mind");
    await until("the slow call runs", () => pidsIn(file("slow")).length === 1);
    expect(await say("cancel", (await running()).turn)).toMatchObject({ code: 0 });
    const cancelled = await unwanted.ended;
    expect(cancelled.code).toBe(130);
    expect(cancelled.event("run_finished").data).toMatchObject({ status: "cancelled", rolled_back_to: 0 });

    const followed = queue(...allowing, "--json", "go on");
    await until("the slow call runs again", () => pidsIn(file("slow")).length === 2);
    worker.kill("SIGTERM");
    const drained = await worker.ended;
    expect(drained).toMatchObject({ code: 0, stderr: expect.stringContaining("handed back: ") });
    await work(model);
    await expectTakenOver(await followed.ended, 2);
  });

  it("end when their folder is gone, and leave what waits in it in the queue", async () => {
    const untilTold = `echo $$ >> ${file("slow")}; while [ ! -e ${file("go")} ]; do sleep 0.05; done`;
    const model = bench.script([
      { calls: [{ name: "run", input: { argv: ["sh", "-c", untilTold] } }] },
      { text: "end" },
    ]);
    const worker = await work(model);
    const turns = ["one", "two", "three"].map((word) => queue(...allowing, word));
    for (const turn of turns) await turn.saw("queued as");
    await until("two of them run", () => pidsIn(file("slow")).length === 2);
    rmSync(bench.workspace, { recursive: true });
    bench.write(file("go"), "");
    expect(await worker.ended).toMatchObject(refused(5, `${bench.workspace} is not there any more`));
    mkdirSync(bench.workspace);
    const { stdout } = await say("queue", "list", "--json");
    expect((JSON.parse(stdout) as { turns: object[] }).turns).toMatchObject([{ state: "waiting" }]);
    for (const turn of turns) turn.kill("SIGKILL");
  });
}
