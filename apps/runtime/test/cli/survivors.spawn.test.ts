import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Finding } from "../../src/doctor/finding.ts";
import { isAlive, pidsIn } from "../crash/support/processes.ts";
import { Bench } from "./support/bench.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.remove());

/** A run of one program, in the words of a shell. */
const runOf = (script: string) =>
  bench.run(
    ["run", "go on", "--allow-run", "--approve", "always", "--model"].concat(
      bench.script([{ calls: [{ name: "run", input: { argv: ["sh", "-c", script] } }] }, { text: "done" }]),
    ),
  );

const programs = async (): Promise<Finding> => {
  const { stdout } = await bench.run(["doctor", "--json"]);
  const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
  return findings.find(({ name }) => name === "programs")!;
};

// runtime.md 9
it.runIf(process.platform === "linux")(
  "a program that left its group is named when the host stops, and by doctor when the host is gone",
  async () => {
    const pids = join(bench.base, "pids");
    const leaves = `setsid sh -c 'echo $$ > ${pids}; exec sleep 300' >/dev/null 2>&1 & until [ -s ${pids} ]; do sleep 0.02; done`;
    const { code, stderr } = await runOf(leaves);
    const [pid] = pidsIn(pids);
    try {
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringContaining(`process ${pid} goes on, though its tool has ended`) as string,
      });
      expect(stderr).toContain("sleep 300");
      expect(await programs()).toMatchObject({
        level: "warning",
        text: expect.stringMatching(new RegExp(`\\b${pid} of host \\d+ \\(sleep 300\\)`)) as string,
        fix: expect.stringContaining(String(pid)) as string,
      });
    } finally {
      process.kill(pid!, "SIGKILL");
    }
    const stays = await runOf(`sleep 300 & echo $! > ${pids}`);
    expect(stays.stderr).not.toContain("goes on");
    expect(pidsIn(pids).some(isAlive)).toBe(false);
  },
);
