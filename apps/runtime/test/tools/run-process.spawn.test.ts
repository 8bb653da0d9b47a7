import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { join } from "node:path";
import { baselineEnvironment, runProcess, type ProcessRequest } from "../../src/tools/run-process.ts";
import { ownMark } from "../../src/tools/lineage-mark.ts";

let cwd: string;

beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "basis-process-")));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
});

const run = (script: string, change: Partial<ProcessRequest> = {}) =>
  runProcess({
    argv: ["/bin/sh", "-c", script],
    cwd,
    env: baselineEnvironment(process.env, cwd),
    signal: new AbortController().signal,
    ...change,
  });

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise<void>((resolve) => setTimeout(resolve, 10));
};

test("a program's output and status are answered, and it runs where it is told to", async () => {
  const end = await run("pwd; echo err >&2; exit 3");
  expect(end).toEqual({ stdout: `${cwd}\n`, stderr: "err\n", exitCode: 3, exitSignal: null });
});

test("a program that a signal ends is told by it", async () => {
  expect(await run("kill -9 $$")).toMatchObject({ exitCode: null, exitSignal: "SIGKILL" });
});

test("words are passed as they are, without a shell", async () => {
  const end = await run("", { argv: ["/bin/echo", "$HOME", "a b", "*", ";ls"] });
  expect(end.stdout).toBe("$HOME a b * ;ls\n");
});

test("a program that is not there is refused", async () => {
  await expect(run("", { argv: ["basis-no-such-program"] })).rejects.toMatchObject({ code: "ENOENT" });
});

describe("an abort", () => {
  test("ends the whole group, and the signal's reason is thrown once the program is gone", async () => {
    const controller = new AbortController();
    let told = "";
    const ended = run("sleep 60 & echo $!; wait", {
      signal: controller.signal,
      progress: (text) => {
        told += text;
        controller.abort(new Error("enough"));
      },
    });
    await expect(ended).rejects.toThrow("enough");
    await until(() => !isAlive(Number(told)));
    expect(isAlive(Number(told))).toBe(false);
  });

  test("ends a program that does not want to be told, too", async () => {
    const controller = new AbortController();
    let told = "";
    const ended = run("trap '' TERM; echo $$; while :; do sleep 1; done", {
      signal: controller.signal,
      progress: (text) => {
        told += text;
        controller.abort(new Error("enough"));
      },
    });
    await expect(ended).rejects.toThrow("enough");
    await until(() => !isAlive(Number(told)));
    expect(isAlive(Number(told))).toBe(false);
  });

  test("before the start starts nothing", async () => {
    await expect(run("echo hello", { signal: AbortSignal.abort(new Error("over")) })).rejects.toThrow("over");
  });
});

test("a background child that keeps the pipe open neither holds the call up nor outlives it", async () => {
  const end = await run("sleep 60 & echo $!");
  await until(() => !isAlive(Number(end.stdout)));
  expect(end.exitCode).toBe(0);
});

test("output beyond a megabyte keeps its end and says how much is gone", async () => {
  const end = await run("head -c 3000000 /dev/zero | tr '\\0' x; echo end");
  expect(end.stdout).toMatch(/^\[\d+ earlier bytes are not kept\]\nx+end\n$/);
  expect(end.stdout.length).toBeLessThan(1024 * 1024 + 100);
});

test("a character that is cut by a chunk is shown whole in the progress", async () => {
  let told = "";
  await run("printf '\\342\\202'; sleep 0.2; printf '\\254'", { progress: (text) => (told += text) });
  expect(told).toBe("€");
});

// S5, S8
test("the environment is a baseline without secrets, and its PATH leads into no workspace", () => {
  const env = {
    PATH: `/usr/bin:.:${cwd}/bin::/bin`,
    HOME: "/home/x",
    ANTHROPIC_API_KEY: "k",
    NODE_OPTIONS: "-r x",
  };
  expect(baselineEnvironment(env, cwd)).toEqual({
    PATH: "/usr/bin:/bin",
    HOME: "/home/x",
    BASIS_LINEAGE: ownMark,
  });
});
