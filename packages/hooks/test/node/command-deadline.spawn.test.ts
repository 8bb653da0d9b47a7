import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { HookSpec } from "../../src/node/index.ts";
import { sampleCall } from "../../src/testing/index.ts";
import { isAlive, openDescriptors, until } from "../process/process-watch.ts";
import { makeFixture, nodeHook, shellHook, type Fixture } from "./workspace-fixture.ts";

const ALLOW = `echo '{"decision":"allow"}'`;
const KILLED = {
  decision: "deny",
  reason: "hook 'hook' could not answer and denies on failure: did not answer within 300ms and was killed",
};

const pidsIn = async (fixture: Fixture, count: number): Promise<number[]> => {
  const path = join(fixture.workspace, "pids");
  const read = async () =>
    (await readFile(path, "utf8").catch(() => "")).split("\n").filter(Boolean).map(Number);
  await until(async () => (await read()).length >= count);
  return read();
};

const seen: number[] = [];
const isGone = async (pids: readonly number[]) => {
  seen.push(...pids);
  return until(() => pids.every((pid) => !isAlive(pid)));
};
afterEach(() => {
  const left = seen.splice(0).filter(isAlive);
  if (left.length > 0) throw new Error(`processes outlive their test: ${left.join()}`);
});

async function ask(fixture: Fixture, spec: HookSpec) {
  const chain = await fixture.open({ specs: [spec] });
  const started = performance.now();
  const outcome = await chain.beforeCall(sampleCall());
  return { outcome, ms: performance.now() - started };
}

describe("at its deadline a hook", () => {
  it("is killed with everything it started, and denies", async () => {
    // H61
    const fixture = await makeFixture();
    const script = `echo $$ >> pids; sleep 30 & echo $! >> pids; wait`;
    const { outcome, ms } = await ask(fixture, shellHook(script, { timeout_ms: 300 }));
    expect(outcome).toEqual(KILLED);
    expect(ms).toBeLessThan(10_000);
    expect(await isGone(await pidsIn(fixture, 2))).toBe(true);
    expect(fixture.reports).toEqual(["hook 'hook' did not answer within 300ms and was killed"]);
  });

  it("is killed though it ignores being asked to end", async () => {
    // H61
    const fixture = await makeFixture();
    const script = `trap '' TERM; echo $$ >> pids; while :; do sleep 1; done`;
    const { outcome, ms } = await ask(fixture, shellHook(script, { timeout_ms: 300 }));
    expect(outcome).toEqual(KILLED);
    expect(ms).toBeLessThan(10_000);
    expect(await isGone(await pidsIn(fixture, 1))).toBe(true);
  });

  it("has half an answer discarded, or a whole one that it does not end after", async () => {
    // H62
    for (const printed of [`printf '{"decision":"allow"'`, ALLOW]) {
      const fixture = await makeFixture();
      const { outcome } = await ask(
        fixture,
        shellHook(`${printed}; echo $$ >> pids; exec sleep 30`, { timeout_ms: 300 }),
      );
      expect(outcome).toEqual(KILLED);
      expect(await isGone(await pidsIn(fixture, 1))).toBe(true);
    }
  });
});

describe("a hook that ended after its deadline", () => {
  it("is late, though the host was busy when it passed and saw both at once", async () => {
    // S39
    const fixture = await makeFixture();
    const script = `trap '' TERM; sleep 0.6; ${ALLOW}`;
    const reports: string[] = [];
    const chain = await fixture.open({
      specs: [shellHook(script, { timeout_ms: 300 })],
      report: (message) => reports.push(message),
    });
    const outcome = chain.beforeCall(sampleCall());
    await sleep(0);
    const until = performance.now() + 2500;
    while (performance.now() < until);
    const reason = "hook 'hook' could not answer and denies on failure: did not answer within 300ms";
    expect(await outcome).toEqual({ decision: "deny", reason });
    expect(reports).toEqual([
      expect.stringMatching(
        /^hook 'hook' did not answer within 300ms: its end was seen after \d+ms; something in the host held the thread$/,
      ),
    ]);
  });
});

describe("a process that a hook leaves behind", () => {
  it("neither delays the answer nor outlives it, though it holds the pipe", async () => {
    // H70
    const fixture = await makeFixture();
    const script = `sleep 30 & echo $! >> pids; ${ALLOW}`;
    const { outcome, ms } = await ask(fixture, shellHook(script));
    expect(outcome).toEqual({ decision: "allow" });
    expect(ms).toBeLessThan(9000);
    expect(await isGone(await pidsIn(fixture, 1))).toBe(true);
  });

  it("is killed when it let go of the pipe and ignores being asked to end", async () => {
    // H70
    const fixture = await makeFixture();
    const script = `(trap '' TERM; exec sleep 30) >/dev/null 2>&1 & echo $! >> pids; ${ALLOW}`;
    const { outcome } = await ask(fixture, shellHook(script));
    expect(outcome).toEqual({ decision: "allow" });
    expect(await isGone(await pidsIn(fixture, 1))).toBe(true);
  });

  it("does not hold up the answer from a group of its own, with the pipe in its hands", async () => {
    // H70
    const fixture = await makeFixture();
    const started = `require("node:child_process").spawn("sleep", ["12"], { detached: true, stdio: "inherit" })`;
    const program = `const { pid } = ${started}; require("node:fs").writeFileSync("pids", pid + "\\n");
      console.log('{"decision":"allow"}'); process.exit(0);`;
    const { outcome, ms } = await ask(fixture, nodeHook(program, { timeout_ms: 60_000 }));
    for (const pid of await pidsIn(fixture, 1)) process.kill(pid);
    expect(outcome).toEqual({ decision: "allow" });
    expect(ms).toBeLessThan(10_000);
  });

  it("cannot answer for a hook that printed nothing itself", async () => {
    const fixture = await makeFixture();
    const script = `(sleep 1; ${ALLOW}) & echo $! >> pids`;
    const { outcome } = await ask(fixture, shellHook(script));
    expect(outcome).toMatchObject({ reason: expect.stringContaining("printed nothing") });
    expect(await isGone(await pidsIn(fixture, 1))).toBe(true);
  });
});

describe("when the turn is aborted", () => {
  it.each(["aborted", "closed"])("the hook is killed and the call denied (%s)", async (how) => {
    // H72
    const fixture = await makeFixture();
    const script = `echo $$ >> pids; sleep 30 & echo $! >> pids; wait`;
    const chain = await fixture.open({
      specs: [shellHook(script, { on_failure: "allow", timeout_ms: 60_000 })],
    });
    const turn = new AbortController();
    const outcome = chain.beforeCall(sampleCall(), { signal: turn.signal });
    const pids = await pidsIn(fixture, 2);
    expect(pids.every(isAlive)).toBe(true);
    const cutAt = Date.now();
    if (how === "aborted") turn.abort();
    await chain.close();
    expect(Date.now() - cutAt).toBeLessThan(10_000);
    expect(await outcome).toEqual({
      decision: "deny",
      reason: "hook 'hook' could not answer and denies on failure: was cut off because the turn was aborted",
    });
    expect(await isGone(pids)).toBe(true);
  });

  it("nothing is started any more", async () => {
    // H72
    const fixture = await makeFixture();
    const chain = await fixture.open({ specs: [shellHook(`echo $$ >> pids; ${ALLOW}`)] });
    expect((await chain.beforeCall(sampleCall(), { signal: AbortSignal.abort() })).decision).toBe("deny");
    await chain.close();
    expect(readdirSync(fixture.workspace)).toEqual([]);
  });
});

describe("many calls at once", () => {
  it("are all answered, leaving no process and no descriptor behind", async () => {
    // H73
    const fixture = await makeFixture();
    const spec = shellHook(`echo $$ >> pids; read -r line; ${ALLOW}`, { timeout_ms: 30_000 });
    const chain = await fixture.open({ specs: [spec] });
    await chain.beforeCall(sampleCall());
    const before = openDescriptors();
    const inputJson = JSON.stringify({ text: "x".repeat(100_000) });
    const calls = Array.from({ length: 20 }, (_, n) =>
      chain.beforeCall(sampleCall({ inputJson, toolCallId: `c${n}` })),
    );
    for (const call of calls) expect(await call).toEqual({ decision: "allow" });
    expect(await until(() => openDescriptors() <= before)).toBe(true);
    expect(await isGone(await pidsIn(fixture, 21))).toBe(true);
  });
});
