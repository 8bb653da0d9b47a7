import { systemClock } from "@basis/core";
import { expect, onTestFinished, test } from "vitest";
import { startProgram, type RunningProgram } from "../../src/mcp/server-program.ts";

interface Started {
  readonly running: RunningProgram;
  readonly ended: Promise<string>;
  readonly printed: () => string;
}

function start(program: string, ...args: readonly string[]): Started {
  let printed = "";
  let tellEnd: (reason: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    tellEnd = resolve;
  });
  const running = startProgram(
    { program, args, cwd: "/", env: { PATH: "/usr/bin:/bin" } },
    { output: (chunk) => (printed += chunk.toString("utf8")), ended: tellEnd },
    systemClock,
  );
  onTestFinished(() => running.stop());
  return { running, ended, printed: () => printed };
}

test("a program is talked to, ends with its input, and says so once", async () => {
  const { running, ended, printed } = start("/bin/cat");
  await running.write("hello\n");
  await running.stop();
  expect(await ended).toBe("it closed its output");
  expect(printed()).toBe("hello\n");
});

test("the end of what it prints as errors is kept", async () => {
  const { running, ended } = start("/bin/sh", "-c", "seq 100000 >&2; echo last words >&2");
  await ended;
  expect(running.errorTail().length).toBeGreaterThan(8192 - "100000\n".length);
  expect(running.errorTail().length).toBeLessThanOrEqual(8192);
  expect(running.errorTail()).toMatch(/^\d{5}\n[^]*\nlast words\n$/);
});

test("what cannot be started has ended", async () => {
  const { running, ended } = start("/no/such/program");
  await ended;
  expect(running.errorTail()).toContain("/no/such/program");
});

test("what a program does not read is kept up to a bound", async () => {
  const { running } = start("/bin/sleep", "600");
  const writes: Promise<void>[] = [];
  for (let sent = 0; sent < 20; sent += 1) writes.push(running.write("x".repeat(1024 * 1024)));
  await expect(writes.at(-1)).rejects.toThrow("does not read");
  for (const write of writes) write.catch(() => undefined);
  await running.stop();
});

test("it gets its arguments as they are", async () => {
  const { ended, printed } = start("/usr/bin/printf", "%s|", "a b", "$HOME", "`x`", "*", "");
  await ended;
  expect(printed()).toBe("a b|$HOME|`x`|*||");
});
