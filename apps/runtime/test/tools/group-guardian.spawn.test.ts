import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { isAlive, untilGone } from "../crash/support/processes.ts";

const guardian = new URL("../../dist/tools/group-guardian.js", import.meta.url).href;

/** A host that is killed after it started a program whose group it did not tell; answers the program's number. */
function hostKilledAtStart(mark: string, before: string): number {
  const script = `import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import { guardProgram } from ${JSON.stringify(guardian)};
const guard = guardProgram(${JSON.stringify(mark)});
${before}
const env = { PATH: process.env.PATH, BASIS_LINEAGE: "7.0123456789ab,${mark}" };
const child = spawn("sleep", ["300"], { detached: true, stdio: "ignore", env });
writeSync(1, String(child.pid));
// What was written to the guardian is on its way before the end.
await new Promise((resolve) => setTimeout(resolve, 100));
process.kill(process.pid, "SIGKILL");`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
  });
  return Number(stdout);
}

// S40
it.runIf(process.platform === "linux")(
  "a host that is killed between a program's start and the word of its group takes it along, and no other",
  async () => {
    const guarded = hostKilledAtStart("9.0123456789ab-1", "");
    expect(guarded).toBeGreaterThan(1);
    await untilGone([guarded]);
    const released = hostKilledAtStart("9.0123456789ab-2", "guard.release();");
    try {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      expect(isAlive(released)).toBe(true);
    } finally {
      process.kill(-released, "SIGKILL");
    }
  },
);
