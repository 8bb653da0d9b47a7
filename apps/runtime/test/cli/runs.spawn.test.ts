import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BasisEvent } from "../../src/events/event-schema.ts";
import { pidsIn, until, untilGone } from "../crash/support/processes.ts";
import type { Running } from "./support/basis-process.ts";
import { Bench } from "./support/bench.ts";
import { passTime } from "./support/passed-time.ts";
import { refused } from "./support/refused.ts";
import { park } from "./support/waiting.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.remove());

const calling = ["--allow-run", "--approve", "always", "--json"];

/** A run whose program does not end. */
interface UnderWay {
  readonly running: Running;
  readonly session: string;
  readonly run: string;
  readonly pids: string;
}

async function underWay(): Promise<UnderWay> {
  const pids = join(bench.base, "pids");
  const argv = ["sh", "-c", `echo $$ >> ${pids}; sleep 300`];
  const model = bench.script([
    { text: "I run it.", calls: [{ name: "run", input: { argv } }] },
    { text: "after" },
  ]);
  const running = bench.start(["run", "go on", ...calling, "--model", model]);
  await until("the program is running", () => pidsIn(pids).length > 0);
  const [session] = JSON.parse((await bench.run(["sessions", "list", "--json"])).stdout) as {
    session: string;
  }[];
  const [first] = (await bench.run(["events", session!.session])).events();
  return { running, session: session!.session, run: first!.run!, pids };
}

const numbers = (events: readonly BasisEvent[]): readonly (number | undefined)[] =>
  events.map(({ seq }) => seq);
const counted = (length: number): readonly number[] => Array.from({ length }, (_, index) => index + 1);

describe("a run of another process", () => {
  it("is followed without a gap, waited for and cancelled: its turn is rolled back, its program gone", async () => {
    const { running, session, run, pids } = await underWay();
    const follower = bench.start(["events", session, "--follow", "--until-finished"]);
    const forEver = bench.start(["events", session, "--follow", "--after", "2"]);
    const waiter = bench.start(["wait", run]);
    await waiter.saw("waiting for run");
    await follower.saw("tool_started");
    await forEver.saw("tool_started");
    expect(await bench.run(["cancel", run])).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining("its turn was rolled back") as string,
    });
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(ended.events().at(-1)).toMatchObject({
      type: "run_finished",
      data: { status: "cancelled", rolled_back_to: 0 },
    });
    await untilGone(pidsIn(pids));
    expect(await waiter.ended).toMatchObject({ code: 130, stdout: "I run it.\n" });
    const followed = await follower.ended;
    expect(followed.code).toBe(0);
    expect(followed.events().at(-1)!.type).toBe("run_finished");
    expect(numbers(followed.events())).toEqual(counted(followed.events().length));
    await forEver.saw("run_finished");
    forEver.kill("SIGINT");
    const interrupted = await forEver.ended;
    expect(interrupted.code).toBe(130);
    expect(numbers(interrupted.events())).toEqual(counted(followed.events().length).slice(2));
    // What was done stays visible, and the session takes a new prompt.
    const rows = (await bench.run(["sessions", "show", session])).stdout;
    expect(rows).toContain("A turn was cancelled after it had run: run");
    expect(rows).not.toContain("go on");
    expect(await bench.run(["cancel", run])).toMatchObject({ code: 0 });
    expect(await bench.run(["cancel", "--all"])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("no run is under way") as string,
    });
    const answers = bench.script([{ text: "anew" }]);
    expect((await bench.run(["run", "again", "--session", session, "--model", answers])).stdout).toBe(
      "anew\n",
    );
  });

  it("whose process was killed is told as lost, by its lease, and rolled back here", async () => {
    const { running, session, run, pids } = await underWay();
    const waiter = bench.start(["wait", session]);
    await waiter.saw("waiting for run");
    running.kill("SIGKILL");
    await running.ended;
    await passTime(bench, 11_000);
    const lost = { code: 1, stdout: "", stderr: expect.stringContaining(`run ${run} did not end`) as string };
    expect(await waiter.ended).toMatchObject(lost);
    expect(await bench.run(["events", session, "--follow", "--until-finished"])).toMatchObject({ code: 1 });
    expect(await bench.run(["cancel", "--all"])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("rolled back here, since no process worked on it") as string,
    });
    for (const pid of pidsIn(pids)) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    const events = (await bench.run(["events", session])).events();
    expect(events.at(-1)).toMatchObject({ type: "run_finished", run, data: { status: "cancelled" } });
    expect((await bench.run(["sessions", "show", session])).stdout).toContain("run (outcome unknown)");
    expect((await bench.run(["wait", run])).code).toBe(130);
  }, 60_000);

  it("goes on when the waiting or the cancelling is interrupted", async () => {
    const { running, session } = await underWay();
    const waiter = bench.start(["wait", session]);
    await waiter.saw("waiting for run");
    waiter.kill("SIGINT");
    expect((await waiter.ended).code).toBe(130);
    expect((await bench.run(["events", session])).stdout).not.toContain("run_finished");
    running.kill("SIGINT");
    expect((await running.ended).code).toBe(130);
    // Stopped, not cancelled: its work is kept, and there is nothing left to cancel.
    expect(await bench.run(["cancel", session])).toMatchObject(refused(1, "had ended before: stopped"));
  });
});

describe("wait", () => {
  const run = (model: string, ...more: readonly string[]) =>
    bench.run(["run", "go on", "--json", "--model", model, ...more]);

  it("answers for a run that has ended, with its code: 0, 1, 3, 4", async () => {
    const read = { calls: [{ name: "read", input: { path: "README.md" } }] };
    const done = (await run(bench.script([{ text: "the answer" }]))).event("run_started");
    expect(await bench.run(["wait", done.run!])).toMatchObject({
      code: 0,
      stdout: "the answer\n",
      stderr: "",
    });
    const json = await bench.run(["wait", done.session, "--json"]);
    expect(json.event("run_finished").data.status).toBe("completed");
    const failed = (await run(bench.script([]))).event("run_started");
    expect(await bench.run(["wait", failed.run!])).toMatchObject(refused(1, "no round 0"));
    const bounded = (await run(bench.script([read, read, { text: "." }]), "--tool-budget", "1")).event(
      "run_started",
    );
    expect(await bench.run(["wait", bounded.run!])).toMatchObject(refused(3, "stopped by the tool budget"));
    const parked = await park(
      bench,
      bench.script([{ calls: [{ name: "write", input: { path: "a", content: "b" } }] }]),
    );
    expect(await bench.run(["wait", parked.session])).toMatchObject(refused(4, parked.id));
    // A turn that waits can be cancelled: its question is closed, its rows are gone.
    expect((await bench.run(["cancel", parked.session])).code).toBe(0);
    expect((await bench.run(["approvals", "list"])).stdout).toBe("nothing waits for an approval\n");
    expect((await bench.run(["sessions", "show", parked.session])).stdout).toContain("0 messages");
  });

  it("prints the checked value of a typed run, and fails as it failed", async () => {
    const schema = bench.write(
      "schema.json",
      JSON.stringify({
        type: "object",
        properties: { n: { type: "integer" } },
        required: ["n"],
        additionalProperties: false,
      }),
    );
    const typed = (await run(bench.script([{ terminal: '{"n":1}' }]), "--output", schema)).event(
      "run_started",
    );
    expect(await bench.run(["wait", typed.run!])).toMatchObject({ code: 0, stdout: '{\n  "n": 1\n}\n' });
    const wrong = { terminal: '{"n":"x"}' };
    const mismatch = await run(bench.script([wrong, wrong, wrong, wrong]), "--output", schema);
    expect(mismatch.code).toBe(1);
    const { run: id } = mismatch.event("run_started");
    expect(await bench.run(["wait", id!])).toMatchObject(
      refused(1, "no answer (mismatch): /n expected integer"),
    );
  });
});

describe("what makes no sense", () => {
  it("is refused: unknown runs (5), options that do not fit (2), agents that would cancel (5)", async () => {
    expect(await bench.run(["wait", "nope"])).toMatchObject(refused(5, "no run and no session 'nope'"));
    expect(await bench.run(["cancel", "nope"])).toMatchObject(refused(5, "no run and no session 'nope'"));
    expect(await bench.run(["cancel"])).toMatchObject(refused(2, "name a RUN, or say --all"));
    expect(await bench.run(["cancel", "x", "--all"])).toMatchObject(refused(2, "not both"));
    expect(await bench.run(["events", "x", "--until-finished"])).toMatchObject(
      refused(2, "goes with --follow"),
    );
    const { session } = (
      await bench.run(["run", "x y", "--json", "--model", bench.script([{ text: "." }])])
    ).event("run_started");
    expect(await bench.run(["events", session, "--follow", "--after", "99"])).toMatchObject(
      refused(2, "the log ends at"),
    );
    // S6
    expect(await bench.run(["cancel", "--all"], { env: { BASIS_LINEAGE: "1" } })).toMatchObject({
      code: 5,
    });
  });
});
