// One suite for both ways of starting a program.
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@basis/core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CommandRequest } from "../../src/process/command.ts";
import { LauncherPool, startLauncher } from "../../src/process/launcher-pool.ts";
import { directRunner, openRunner, type ProgramRunner } from "../../src/process/program-runner.ts";
import { isAlive, until } from "./process-watch.ts";

const bindings: readonly [string, () => ProgramRunner][] = [
  ["directly", directRunner],
  ["by a launcher", () => openRunner()],
  ["by a launcher whose shell is bash", () => openRunner(new LauncherPool(() => startLauncher("/bin/bash")))],
];

describe.each(bindings)("a program started %s", (name, open) => {
  let runner: ProgramRunner;
  let cwd: string;
  beforeAll(() => {
    cwd = realpathSync(mkdtempSync(join(tmpdir(), "basis-runner-")));
    runner = open();
  });
  afterAll(async () => {
    await runner.close();
    rmSync(cwd, { recursive: true, force: true });
  });

  const run = (argv: readonly [string, ...string[]], change: Partial<CommandRequest> = {}) => {
    const [program, ...args] = argv;
    const signal = new AbortController().signal;
    const request = { program, args, cwd, env: {}, stdin: "", timeoutMs: 20_000, signal, clock: systemClock };
    return runner.run({ ...request, ...change });
  };
  const shell = (script: string, change: Partial<CommandRequest> = {}) =>
    run(["/bin/sh", "-c", script], { env: { PATH: "/usr/bin:/bin" }, ...change });
  const pid = () => Number(readFileSync(join(cwd, "pid"), "utf8"));

  it("counts in time when it is known to have ended so, though the host was busy, and else is late", async () => {
    const busy = async (script: string) => {
      const outcome = shell(script, { timeoutMs: 1500 });
      await new Promise((resolve) => setImmediate(resolve));
      const until = performance.now() + 2500;
      while (performance.now() < until);
      return (await outcome).kind;
    };
    // Nobody tells this process when its own child ended.
    expect(await busy("echo in time")).toBe(name === "directly" ? "late" : "exited");
    expect(await busy("sleep 1.8; echo too late")).toBe("late");
  });

  it("sees exactly the variables it is given", async () => {
    // H71
    expect(await run(["/usr/bin/env"])).toMatchObject({ exitCode: 0, stdout: { text: "" }, stderr: "" });
    const env = {
      A: "1",
      lower_2: `x'y" $(id) \n\\`,
      PWD: "/elsewhere",
      _: "own",
      SHLVL: "7",
      IFS: "a",
      UID: "x",
    };
    const outcome = await run(["/usr/bin/env", "-0"], { env: { ...env, "odd.name": "é" } });
    const seen = (outcome as { stdout: { text: string } }).stdout.text.split("\0").slice(0, -1);
    expect(seen.toSorted()).toEqual(
      Object.entries({ ...env, "odd.name": "é" })
        .map(([name, value]) => `${name}=${value}`)
        .toSorted(),
    );
  });

  it("gets its words as they are, whatever they hold", async () => {
    // H57
    const word = fc.string({ unit: "grapheme", maxLength: 30 }).filter((text) => !text.includes("\0"));
    const hostile = fc.constantFrom(
      "'",
      "''",
      "\\",
      "\n",
      "$(id)",
      "`id`",
      "*",
      "-n",
      "",
      "!",
      "{",
      "\r\n",
      "~",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(word, hostile), { maxLength: 6 }), async (args) => {
        const outcome = await run(["/usr/bin/printf", "%s\\0", ...args]);
        const printed = args.length === 0 ? "\0" : args.map((arg) => `${arg}\0`).join("");
        expect(outcome).toMatchObject({ exitCode: 0, stdout: { text: Buffer.from(printed).toString() } });
      }),
      { numRuns: 60 },
    );
    const long = await run(["/usr/bin/printf", "%s", "x".repeat(120_000)]);
    expect(long).toMatchObject({ stdout: { text: "x".repeat(120_000) } });
    expect(await run(["/usr/bin/printf", "a\0b"])).toMatchObject({ kind: "not_started" });
  });

  it("runs where it is told to, with what it is to read, and holds nothing else open", async () => {
    // H59
    const script = `cat; pwd -P; echo err >&2; for fd in /proc/self/fd/*; do echo "\${fd##*/}"; done`;
    const outcome = await shell(script, { stdin: "in" });
    const { stdout, stderr } = outcome as { stdout: { text: string }; stderr: string };
    expect([stdout.text.startsWith(`in\n${cwd}\n`), stderr]).toEqual([true, "err"]);
    const held = stdout.text.split("\n").filter((line) => /^[3-9]$/.test(line));
    expect(held.length).toBeLessThanOrEqual(1);
  });

  it("has its end told as it was", async () => {
    // H63, H64, H66
    expect(await shell("exit 3")).toMatchObject({ kind: "exited", exitCode: 3 });
    expect(await shell("exit 255")).toMatchObject({ kind: "exited", exitCode: 255 });
    for (const name of ["KILL", "TERM", "SEGV"])
      expect(await shell(`kill -${name} $$`)).toMatchObject({ kind: "exited", exitCode: null });
    expect(await run([join(cwd, "absent")])).toMatchObject({ kind: "not_started" });
    writeFileSync(join(cwd, "odd"), "#!/no/such/interpreter\n", { mode: 0o700 });
    expect(await run([join(cwd, "odd")])).toMatchObject({ kind: "not_started" });
    expect(await shell("exit 0", { cwd: join(cwd, "gone") })).toMatchObject({ kind: "not_started" });
    const tooLong = "x".repeat(200_000);
    expect(await run(["/bin/true", tooLong])).toMatchObject({ kind: "not_started" });
    expect(await run(["/bin/true"], { env: { A: tooLong } })).toMatchObject({ kind: "not_started" });
    expect(await shell("echo no >&2; exit 127")).toMatchObject({
      kind: "exited",
      exitCode: 127,
      stderr: "no",
    });
  });

  it("has the end of a long error output kept, and no more of it", async () => {
    // H67, H68
    const outcome = await shell("yes 0123456789 | head -c 5500000 >&2; sleep 0.2; echo end >&2");
    const { stderr } = outcome as { stderr: string };
    expect([stderr.endsWith("0123456789\nend"), stderr.length <= 2048]).toEqual([true, true]);
  });

  it("is killed with its group at the deadline, on abort, and what it leaves behind when it exits", async () => {
    // H61, H70, H72
    const stubborn = "trap '' TERM; sleep 30 & echo $! > pid; while :; do sleep 1; done";
    expect(await shell(stubborn, { timeoutMs: 300 })).toEqual({ kind: "timed_out" });
    expect(await until(() => !isAlive(pid()))).toBe(true);
    const turn = new AbortController();
    const outcome = shell("echo $$ > pid; exec sleep 30", { signal: turn.signal });
    await until(() => isAlive(pid()));
    turn.abort();
    expect(await outcome).toEqual({ kind: "aborted" });
    expect(await until(() => !isAlive(pid()))).toBe(true);
    expect(await shell("sleep 30 >/dev/null 2>&1 & echo $! > pid")).toMatchObject({ exitCode: 0 });
    expect(await until(() => !isAlive(pid()))).toBe(true);
  });

  it("leaves nothing when it is aborted the moment it was started", async () => {
    // H72
    for (let delay = 0; delay < 8; delay += 1) {
      const turn = new AbortController();
      const outcome = shell("trap '' TERM; echo $$ > pid; sleep 30", { signal: turn.signal });
      setTimeout(() => turn.abort(), delay);
      expect(await outcome).toEqual({ kind: "aborted" });
    }
    expect(await until(() => !isAlive(pid()))).toBe(true);
    expect(await shell("echo next")).toMatchObject({ stdout: { text: "next\n" } });
  });
});
