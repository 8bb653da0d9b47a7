import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Ended, Running } from "../cli/support/basis-process.ts";
import { Bench } from "../cli/support/bench.ts";
import { pidsIn, until, untilGone } from "./support/processes.ts";
import { SilentServer } from "./support/silent-server.ts";

let bench: Bench;
let pids: string;
beforeEach(() => {
  bench = new Bench();
  pids = join(bench.base, "pids");
});
afterEach(() => bench.remove());

const calling = ["--allow-run", "--approve", "always", "--json"];

/** A program that leaves a child behind, tells both process ids and waits. */
const lingering = (trap = ""): string =>
  `${trap} sleep 300 & echo $! >> ${pids}; echo $$ >> ${pids}; wait; sleep 300`;

const script = (argv: readonly string[]): string =>
  bench.script([{ text: "I run it.", calls: [{ name: "run", input: { argv } }] }, { text: "after it" }]);

const untilRunning = (): Promise<void> => until("the program is running", () => pidsIn(pids).length >= 2);

/** The session that was interrupted goes on, with exactly one result for its call. */
async function expectGoesOn(ended: Ended, model: string): Promise<void> {
  const { session } = ended.event("run_started");
  const next = await bench.run(["run", "--session", session, "--approve", "always", "--model", model]);
  expect(next).toMatchObject({ code: 0, stdout: "after it\n" });
  const { stdout } = await bench.run(["sessions", "show", session, "--json"]);
  const rows = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { kind: string });
  expect(rows.map(({ kind }) => kind)).toEqual(["user", "assistant", "tool", "assistant"]);
}

// S40
it("a kill -9 while a tool's process runs takes its whole group along, also what ignores TERM", async () => {
  const model = script(["sh", "-c", lingering("trap '' TERM HUP;")]);
  const running = bench.start(["run", "go on", ...calling, "--model", model]);
  await untilRunning();
  running.kill("SIGKILL");
  expect(await running.ended).toMatchObject({ code: null });
  await untilGone(pidsIn(pids));
});

describe.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s", (signal) => {
  it("while a tool's process runs ends with 130, its group gone, and the session goes on", async () => {
    const model = script(["sh", "-c", lingering()]);
    const running = bench.start(["run", "go on", ...calling, "--model", model]);
    await untilRunning();
    running.kill(signal);
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(ended.events().at(-1)).toMatchObject({ type: "run_finished", data: { stopped_by: "stop" } });
    await untilGone(pidsIn(pids));
    await expectGoesOn(ended, model);
  });

  it("while a hook runs ends with 130, the hook gone, the call not made, and the session goes on", async () => {
    const program = `import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
const child = spawn("sleep", ["300"]);
appendFileSync(${JSON.stringify(pids)}, process.pid + "\\n" + child.pid + "\\n");
setInterval(() => undefined, 1000);`;
    bench.hook("slow", program, ["run"]);
    const mark = join(bench.base, "ran");
    const model = script(["touch", mark]);
    const running = bench.start(["run", "go on", ...calling, "--model", model]);
    await untilRunning();
    running.kill(signal);
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    await untilGone(pidsIn(pids));
    expect(existsSync(mark)).toBe(false);
    await expectGoesOn(ended, model);
  });

  it("while a model is asked ends with 130, and the session goes on with its prompt", async () => {
    const server = await SilentServer.open();
    try {
      const env = { BASIS_BASE_URL: server.url };
      const argv = ["run", "go on", "--json", "--model", "openai-compatible/any"];
      const running = bench.start(argv, { env });
      await server.asked();
      running.kill(signal);
      const ended = await running.ended;
      expect(ended.code).toBe(130);
      const model = bench.script([{ when: { contains: "go on" }, text: "heard" }]);
      const { session } = ended.event("run_started");
      expect((await bench.run(["run", "--session", session, "--model", model])).stdout).toBe("heard\n");
    } finally {
      server.close();
    }
  });

  it("ends the group of a tool that ignores TERM too", async () => {
    const model = script(["sh", "-c", lingering("trap '' TERM;")]);
    const running = bench.start(["run", "go on", ...calling, "--model", model]);
    await untilRunning();
    running.kill(signal);
    expect((await running.ended).code).toBe(130);
    await untilGone(pidsIn(pids));
  });
});

describe("a second Ctrl-C", () => {
  it("ends at once, and with it the groups that ignored the first", async () => {
    const model = script(["sh", "-c", lingering("trap '' TERM;")]);
    const running: Running = bench.start(["run", "go on", ...calling, "--model", model]);
    await untilRunning();
    running.kill("SIGINT");
    setTimeout(() => running.kill("SIGINT"), 50);
    expect((await running.ended).code).toBe(130);
    await untilGone(pidsIn(pids));
  });
});

describe("Ctrl-\\", () => {
  it("ends at once, and with it the groups of the run", async () => {
    const model = script(["sh", "-c", lingering("trap '' TERM;")]);
    const running = bench.start(["run", "go on", ...calling, "--model", model]);
    await untilRunning();
    running.kill("SIGQUIT");
    expect((await running.ended).code).toBe(130);
    await untilGone(pidsIn(pids));
  });
});

describe("a second hangup", () => {
  it("still lets the turn end in order", async () => {
    const model = script(["sh", "-c", lingering()]);
    const running = bench.start(["run", "go on", ...calling, "--model", model]);
    await untilRunning();
    running.kill("SIGHUP");
    setTimeout(() => running.kill("SIGHUP"), 5);
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(ended.events().at(-1)).toMatchObject({ type: "run_finished", data: { stopped_by: "stop" } });
    await untilGone(pidsIn(pids));
  });
});

describe("Ctrl-C before a run", () => {
  it("while standard input is read ends with 130", async () => {
    const running = bench.start(["run", "-", "--model", script(["true"])], { stdin: null });
    await running.feed();
    running.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130, stdout: "" });
  });
});
