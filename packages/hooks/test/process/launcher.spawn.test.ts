import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "@basis/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Launcher } from "../../src/process/launcher.ts";
import { LauncherPool, startLauncher } from "../../src/process/launcher-pool.ts";
import { openRunner, type ProgramRunner } from "../../src/process/program-runner.ts";
import { isAlive, until } from "./process-watch.ts";

let cwd: string;
let runner: ProgramRunner;
let launchers: Launcher[];

beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "basis-launcher-")));
  launchers = [];
  const pool = new LauncherPool(() => {
    const launcher = startLauncher();
    if (launcher !== undefined) launchers.push(launcher);
    return launcher;
  });
  runner = openRunner(pool);
});
afterEach(async () => {
  await runner.close();
  rmSync(cwd, { recursive: true, force: true });
});

const shell = (script: string, timeoutMs = 20_000) => shellOf(runner, script, timeoutMs);
const shellOf = (one: ProgramRunner, script: string, timeoutMs = 20_000) =>
  one.run({
    program: "/bin/sh",
    args: ["-c", script],
    cwd,
    env: { PATH: "/usr/bin:/bin" },
    stdin: "",
    timeoutMs,
    signal: new AbortController().signal,
    clock: systemClock,
  });
const printed = async (script: string) => {
  const outcome = await shell(script);
  return outcome.kind === "exited" ? outcome.stdout.text.trim() : outcome.kind;
};
/** The launcher's number: the parent of a program is a keeper, whose group the launcher leads. */
const launcherPid = async () => Number(await printed("cut -d' ' -f5 /proc/$PPID/stat"));
const noted = async (name: string) => {
  const read = () => Number(readFileSync(join(cwd, name), { encoding: "utf8", flag: "a+" }));
  await until(() => read() > 0);
  return read();
};

describe("a launcher", () => {
  it("lets no program stop the keeper that waits for it", async () => {
    // S40
    const script = "echo $PPID > keeper; kill -STOP $PPID; exec sleep 30";
    expect(await shell(script, 300)).toEqual({ kind: "timed_out" });
    const keeper = await noted("keeper");
    expect(await until(() => !isAlive(keeper))).toBe(true);
    await shell("echo $PPID > second; kill -STOP $PPID", 300);
    await runner.close();
    const second = await noted("second");
    expect(await until(() => !isAlive(second))).toBe(true);
  });

  it("starts every program, at once or one after the other, in place of this process", async () => {
    const first = await launcherPid();
    expect(first).not.toBe(process.pid);
    const many = await Promise.all(Array.from({ length: 20 }, launcherPid));
    expect([...new Set(many)]).toEqual([first]);
    expect(launchers).toHaveLength(1);
  });

  it("keeps the streams of a program from all others: what escaped an earlier call answers no later one", async () => {
    const escapee = `setsid sh -c 'sleep 1; while :; do echo forged; sleep 0.02; done' & echo $! > escapee`;
    expect(await shell(`${escapee}; exit 0`)).toMatchObject({ kind: "exited", exitCode: 0 });
    await sleep(1200);
    for (let n = 0; n < 10; n += 1) expect(await printed(`sleep 0.05; echo own`)).toBe("own");
    expect(await printed("kill -9 -$(cat escapee); echo gone")).toBe("gone");
  });

  it("leaves private files without names while a program runs", async () => {
    const [launcher] = launchers;
    const running = shell(
      "stat -c '%a %h' /proc/self/fd/0; sleep 0.5; stat -L -c '%a %h' /proc/self/fd/0 /proc/self/fd/1",
    );
    expect(await until(() => readdirSync(launcher!.directory).length === 3)).toBe(true);
    expect(await until(() => readdirSync(launcher!.directory).length === 0)).toBe(true);
    expect(await running).toMatchObject({ stdout: { text: expect.stringMatching(/600 0\n600 0\n$/) } });
  });

  it("whose directory was removed is replaced, and that call's program started directly", async () => {
    const first = await launcherPid();
    rmSync(launchers[0]!.directory, { recursive: true });
    expect(await printed("echo $PPID")).toBe(String(process.pid));
    expect(await launcherPid()).not.toBe(first);
    expect(await until(() => !isAlive(first))).toBe(true);
  });

  it("is not missed where there can be none", async () => {
    const direct = openRunner(new LauncherPool(() => undefined));
    const outcome = await shellOf(direct, "echo $PPID");
    expect(outcome).toMatchObject({ stdout: { text: `${process.pid}\n` } });
    await direct.close();
  });
});

describe("the loss of a launcher", () => {
  it("denies the calls in flight, leaves nothing of them, and the next call has a fresh one", async () => {
    // S40
    for (const who of ["launcher", "group"]) {
      const lost = shell("trap '' TERM; sleep 30 & echo $$ > pid; wait");
      const pid = await noted("pid");
      const leader = await launcherPid();
      process.kill(who === "group" ? -leader : leader, "SIGKILL");
      expect(await lost).toEqual({ kind: "lost" });
      expect(await until(() => !isAlive(pid))).toBe(true);
      expect(await launcherPid()).not.toBe(leader);
      rmSync(join(cwd, "pid"));
    }
  });

  it("cannot be brought about by a program that kills its parent: that ends at its own deadline", async () => {
    const outcome = shell("echo $$ > pid; kill -9 $PPID; exec sleep 30", 300);
    const beside = shell("sleep 2; echo beside");
    const pid = await noted("pid");
    expect(await outcome).toEqual({ kind: "timed_out" });
    expect(await until(() => !isAlive(pid))).toBe(true);
    expect(await beside).toMatchObject({ stdout: { text: "beside\n" } });
    expect(await printed("echo next")).toBe("next");
    expect(await until(() => !launchers[0]!.isUsable)).toBe(true);
  });
});

describe("thousands of programs", () => {
  it("leave descriptors, listeners, processes, memory and files as they were", async () => {
    const pid = await launcherPid();
    const facts = () => ({
      descriptors: readdirSync("/proc/self/fd").length,
      held: readdirSync(`/proc/${pid}/fd`).length,
      children: readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"),
      files: readdirSync(launchers[0]!.directory),
    });
    const residentKb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
    const batch = async (count: number) => {
      for (let n = 0; n < count; n += 20)
        await Promise.all(Array.from({ length: 20 }, async () => expect(await printed("echo 1")).toBe("1")));
    };
    await batch(500);
    await until(() => facts().children === "");
    const [before, kb] = [facts(), residentKb()];
    await batch(2000);
    await until(() => facts().children === "");
    expect(facts()).toEqual(before);
    expect(residentKb() - kb).toBeLessThan(256);
  });
});
