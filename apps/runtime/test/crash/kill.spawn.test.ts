import { execFile } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Ended } from "../cli/support/basis-process.ts";
import { Bench } from "../cli/support/bench.ts";
import { tokenOptions } from "../cli/support/waiting.ts";
import { SilentServer } from "./support/silent-server.ts";

/** The lease of a dead process is 15 s long; these tests wait for theirs side by side. */
const WAIT = 60_000;
const calling = ["--allow-run", "--approve", "always"];

async function onBench(work: (bench: Bench) => Promise<void>): Promise<void> {
  const bench = new Bench();
  try {
    await work(bench);
  } finally {
    bench.remove();
  }
}

interface Row {
  readonly kind: string;
  readonly message: { readonly content: unknown };
}

/** The one session of a killed process, as the next run leaves it. */
async function resume(
  bench: Bench,
  model: string,
): Promise<{ ended: Ended; rows: readonly Row[]; types: readonly string[] }> {
  const [view] = JSON.parse((await bench.run(["sessions", "list", "--json"])).stdout) as {
    session: string;
    state: string;
  }[];
  expect(view!.state).toMatch(/running|interrupted/);
  const ended = await bench.run(["run", "--session", view!.session, ...calling, "--model", model]);
  const { stdout } = await bench.run(["sessions", "show", view!.session, "--json"]);
  const events = (await bench.run(["events", view!.session])).events();
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  return {
    types: events.map(({ type }) => type),
    ended,
    rows: stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Row),
  };
}

function expectWaited({ stderr }: Ended): void {
  const seconds = /is gone; its lease runs out in (\d+) s/.exec(stderr)?.[1];
  expect(Number(seconds)).toBeGreaterThan(0);
  expect(Number(seconds)).toBeLessThanOrEqual(16);
}

const runs = (bench: Bench): number =>
  readFileSync(join(bench.base, "marks"), "utf8").trimEnd().split("\n").length;

/** A model that runs one program, and says so afterwards. */
function script(bench: Bench, argv: readonly string[]): string {
  return bench.script([{ calls: [{ name: "run", input: { argv } }] }, { text: "after it" }]);
}

const marking = (bench: Bench): string => `echo ran >> ${join(bench.base, "marks")}`;
const killer = `
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const parentOf = (pid) => Number(readFileSync("/proc/" + pid + "/stat", "utf8").split(") ")[1].split(" ")[1]);
  let host = process.ppid;
  while (readFileSync("/proc/" + host + "/comm", "utf8") === "sh\\n") host = parentOf(host);
  process.stdin.resume();
  process.kill(host, "SIGKILL");`;

describe.concurrent("kill -9", () => {
  it("while a model is asked: the prompt is kept and answered by the next run", { timeout: WAIT }, () =>
    onBench(async (bench) => {
      const server = await SilentServer.open();
      const env = { BASIS_BASE_URL: server.url };
      const running = bench.start(["run", "go on", "--model", "openai-compatible/any"], { env });
      await server.asked();
      running.kill("SIGKILL");
      expect((await running.ended).signal).toBe("SIGKILL");
      server.close();
      const { ended, rows } = await resume(bench, bench.script([{ text: "answered" }]));
      expect(ended).toMatchObject({ code: 0, stdout: "answered\n" });
      expectWaited(ended);
      expect(rows.map(({ kind }) => kind)).toEqual(["user", "assistant"]);
    }),
  );

  it("after the assistant row and before the tool: the call is told as not started", { timeout: WAIT }, () =>
    onBench(async (bench) => {
      bench.hook("killer", killer, ["run"]);
      const model = script(bench, ["sh", "-c", marking(bench)]);
      const killed = await bench.run(["run", "go on", ...calling, "--model", model]);
      expect(killed.signal).toBe("SIGKILL");
      rmSync(join(bench.config, "hooks.json"));
      const { ended, rows, types } = await resume(bench, model);
      expect(ended).toMatchObject({ code: 0, stdout: "after it\n" });
      expectWaited(ended);
      expect(rows.map(({ kind }) => kind)).toEqual(["user", "assistant", "tool", "assistant"]);
      expect(types).toContain("session_healed");
      expect(JSON.stringify(rows[2])).toContain("interrupted: it was not started");
      expect(() => runs(bench)).toThrow("ENOENT");
    }),
  );

  it("while the tool runs: its outcome is told as unknown and it is not run again", { timeout: WAIT }, () =>
    onBench(async (bench) => {
      const model = script(bench, ["sh", "-c", `${marking(bench)}; kill -9 $PPID`]);
      const killed = await bench.run(["run", "go on", ...calling, "--model", model]);
      expect(killed.signal).toBe("SIGKILL");
      const { ended, rows, types } = await resume(bench, model);
      expect(ended).toMatchObject({ code: 0, stdout: "after it\n" });
      expectWaited(ended);
      expect(rows.map(({ kind }) => kind)).toEqual(["user", "assistant", "tool", "assistant"]);
      expect(types).toContain("session_healed");
      expect(JSON.stringify(rows[2])).toContain("interrupted: outcome unknown");
      expect(runs(bench)).toBe(1);
    }),
  );

  it("after the tool and before its result's row: it is not run again", { timeout: WAIT }, () =>
    onBench(async (bench) => {
      const path = bench.write(join(bench.config, "killer.mjs"), killer);
      const hooks = [{ name: "killer", command: ["node", path], tools: ["run"], event: "post_tool_use" }];
      bench.write(join(bench.config, "hooks.json"), JSON.stringify({ schema: 1, hooks }), 0o600);
      const model = script(bench, ["sh", "-c", marking(bench)]);
      const killed = await bench.run(["run", "go on", ...calling, "--model", model]);
      expect(killed.signal).toBe("SIGKILL");
      rmSync(join(bench.config, "hooks.json"));
      const { ended, rows, types } = await resume(bench, model);
      expect(ended).toMatchObject({ code: 0, stdout: "after it\n" });
      expectWaited(ended);
      expect(rows.map(({ kind }) => kind)).toEqual(["user", "assistant", "tool", "assistant"]);
      expect(types).toContain("session_healed");
      expect(JSON.stringify(rows[2])).toContain("interrupted: outcome unknown");
      expect(runs(bench)).toBe(1);
    }),
  );

  it(
    "between a fork's commit and its seat: it is recovered by the id that the list shows",
    { timeout: WAIT },
    () =>
      onBench(async (bench) => {
        const model = bench.script([{ text: "one" }, { text: "two" }]);
        const started = (await bench.run(["run", "go on", "--json", "--model", model])).event("run_started");
        expect(await dying("fork", bench.data, started.data.agent, "reviewer")).toBe("SIGKILL");
        const views = JSON.parse((await bench.run(["sessions", "list", "--json"])).stdout) as {
          session: string;
          state: string;
        }[];
        const pending = views.find(({ state }) => state === "pending")!;
        const early = await bench.run(["run", "and now?", "--session", pending.session, "--model", model]);
        expect(early.code).toBe(5);
        expect(early.stderr).toContain(`basis fork --recover ${pending.session}`);
        const recovered = await bench.run(["fork", "--recover", pending.session]);
        expect(recovered.code).toBe(0);
        expect(recovered.stdout).toContain("reviewer: 2 messages");
        expect(recovered.stderr).toMatch(/runs out in \d+ s/);
        const next = await bench.run(["run", "and now?", "--session", "reviewer", "--model", model]);
        expect(next).toMatchObject({ code: 0, stdout: "two\n" });
      }),
  );

  // D12, ADR 0025
  it(
    "between a child's parking and its parent's note: answered, the child goes on and its parent gets one result",
    { timeout: WAIT },
    () =>
      onBench(async (bench) => {
        const write = { calls: [{ name: "write", input: { path: "new.txt", content: "new\n" } }] };
        const task = { calls: [{ name: "spawn", input: { input: "write it" } }] };
        const model = bench.script([task, { text: "all done" }], {
          child: { rounds: [write, { text: "written" }] },
        });
        expect(await dying("parent", bench.data, bench.workspace, bench.config, model)).toBe("SIGKILL");
        const { stdout } = await bench.run(["approvals", "list", "--json"]);
        const { approval, member } = JSON.parse(stdout)[0] as { approval: string; member: string };
        expect((await bench.run(["approvals", "allow", approval, ...tokenOptions(bench)])).code).toBe(0);
        const prompted = await bench.run(["run", "and now?", "--session", member, "--model", model]);
        expect(prompted).toMatchObject({ code: 4, stderr: expect.stringContaining(approval) });
        const goOn = ["run", "--session", member, "--approve", "never", "--model", model];
        expect(await bench.run(goOn)).toMatchObject({ code: 0, stdout: "all done\n" });
        expect(readFileSync(join(bench.workspace, "new.txt"), "utf8")).toBe("new\n");
        const shown = await bench.run(["sessions", "show", member, "--json"]);
        const rows = shown.stdout.trimEnd().split("\n");
        expect(rows.map((line) => (JSON.parse(line) as Row).kind)).toEqual([
          "user",
          "assistant",
          "tool",
          "assistant",
        ]);
        expect(rows[2]).toContain("written");
      }),
  );
});

/** The signal that ended a process that dies by its own hand. */
function dying(kind: "fork" | "parent", ...argv: readonly string[]): Promise<string | null | undefined> {
  const program = fileURLToPath(new URL(`support/dying-${kind}.mjs`, import.meta.url));
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...argv], (error) => resolve(error?.signal));
  });
}
