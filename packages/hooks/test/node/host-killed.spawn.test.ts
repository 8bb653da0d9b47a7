// S40: a host that is killed outright, at any moment, leaves nothing of its hooks.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../process/process-watch.ts";

const entry = new URL("../../dist/node/index.js", import.meta.url).href;
let temporary: string;
let mark: string;

beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "basis-killed-"));
  mark = `mark-${Math.random()}`;
});
afterEach(() => rmSync(temporary, { recursive: true, force: true }));

/** Hooks that hang, ignore being asked to end, have children, answer at once; a worker that ignores its input's end. */
const host = () => `
  import { openHooks } from ${JSON.stringify(entry)};
  const run = (name, script, facts) =>
    ({ name, tools: [name], timeout_ms: 60000, env: ["MARK"], command: ["/bin/sh", "-c", script], ...facts });
  const stubborn = "trap '' TERM; sleep 300 & while :; do sleep 301; done";
  const specs = [
    run("hang", stubborn),
    run("quick", "echo '{\\"decision\\":\\"allow\\"}'"),
    run("worker", "echo '{\\"hook_worker\\":1}'; " + stubborn, { mode: "worker" }),
  ];
  const hooks = await openHooks({ workspace: process.cwd(), discovery: false, specs, report() {} });
  const ask = (toolName) => hooks.beforeCall({ agentId: "a", toolName, toolCallId: "c", inputJson: "{}" });
  process.stdout.write("open");
  for (let n = 0; ; n += 1) {
    if (n < 8) ask("hang");
    if (n === 2) ask("worker");
    await ask("quick");
  }`;

/** Everything that has the mark in its environment: the host and what its hooks run. */
function marked(): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      if (/ Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) return false;
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(`MARK=${mark}`);
    } catch {
      return false;
    }
  });
}

/** Launchers and keepers have an empty environment; they lead back to their private directory's life. */
const privateDirectories = () => readdirSync(temporary);

/** Kills a host after some time, or once that many processes have its mark. */
async function killAfter(ms: number, hooks = 0) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", host()], {
    env: { PATH: process.env["PATH"], TMPDIR: temporary, MARK: mark },
    cwd: temporary,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  await sleep(ms);
  await until(() => marked().length > hooks);
  const running = marked().length;
  child.kill("SIGKILL");
  await once(child, "exit");
  return running;
}

describe("a host that is killed outright", () => {
  it("takes everything along that its hooks run, and leaves no private file", async () => {
    expect(await killAfter(0, 20)).toBeGreaterThan(20);
    expect(await until(() => marked().length === 0 && privateDirectories().length === 0)).toBe(true);
  });

  it("does so whatever it was doing", async () => {
    for (let ms = 0; ms < 60; ms += 4) {
      await killAfter(ms + Math.random() * 4);
      const isClean = await until(() => marked().length === 0 && privateDirectories().length === 0);
      expect({ ms, isClean, left: marked() }).toEqual({ ms, isClean: true, left: [] });
    }
  });
});
