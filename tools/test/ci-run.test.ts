import { spawn, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";

const script = fileURLToPath(new URL("../../.ci/run", import.meta.url));
const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A folder in which every program that CI starts is a stand-in: each step passes, and each count is 5 tests. */
function stage(programs: Record<string, string> = {}): { folder: string; env: NodeJS.ProcessEnv } {
  const folder = mkdtempSync(join(tmpdir(), "basis-ci-"));
  folders.push(folder);
  const node = 'case "$1" in *count-tests.mjs) echo "5 0" ;; esac';
  const standIns = {
    "bin/node": node,
    "bin/npm": "",
    "bin/apt-get": "",
    "node_modules/.bin/knip": "",
    "node_modules/.bin/changeset": "",
  };
  for (const [path, text] of Object.entries({ ...standIns, ...programs })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, path), 0o755);
  }
  mkdirSync(join(folder, ".ci"));
  copyFileSync(script, join(folder, ".ci", "run"));
  return { folder, env: { PATH: `${join(folder, "bin")}:/usr/bin:/bin`, HOME: folder } };
}

function runCi(programs?: Record<string, string>): { lines: string[]; code: number | null } {
  const { folder, env } = stage(programs);
  const done = spawnSync(join(folder, ".ci", "run"), { env, encoding: "utf8", input: "" });
  return { lines: done.stdout.trimEnd().split("\n"), code: done.status };
}

describe.skipIf(process.platform === "win32")(".ci/run", () => {
  it("ends with the sum of steps and tests", () => {
    const { lines, code } = runCi();
    const steps = lines.filter((line) => line.startsWith("── ✓")).length;
    expect(steps).toBeGreaterThan(8);
    expect(lines.at(-1)).toBe(`${steps + 10} passed, 0 failed`);
    expect(code).toBe(0);
  });

  it("goes on after a failing step, names it, and fails", () => {
    const { lines, code } = runCi({ "node_modules/.bin/knip": "exit 3" });
    expect(lines.at(-1)).toMatch(/^\d+ passed, 1 failed$/);
    expect(lines.at(-2)).toBe("failed: unused code;");
    expect(lines.some((line) => line.startsWith("── ✓ packages alone"))).toBe(true);
    expect(code).toBe(1);
  });

  it("adds failed tests, and says so when nothing could be installed", () => {
    const counts = runCi({ "bin/node": 'case "$1" in *count-tests.mjs) echo "3 2" ;; esac' });
    expect(counts.lines.at(-1)).toMatch(/ passed, 4 failed$/);
    expect(counts.code).toBe(1);
    const install = runCi({ "bin/node": "exit 1" });
    expect(install.lines.at(-1)).toBe("0 passed, 1 failed");
    expect(install.code).toBe(1);
  });

  it("still prints its last line when it is told to stop", async () => {
    const { folder, env } = stage({ "bin/npm": "sleep 0.5" });
    const child = spawn(join(folder, ".ci", "run"), { env, stdio: ["ignore", "pipe", "ignore"] });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (chunk.toString().includes("── npm test")) child.kill("SIGTERM");
    });
    const code = await new Promise((settle) => child.once("close", settle));
    expect(Buffer.concat(chunks).toString()).toMatch(/\n1 passed, 1 failed\n$/);
    expect(code).toBe(1);
  });
});
