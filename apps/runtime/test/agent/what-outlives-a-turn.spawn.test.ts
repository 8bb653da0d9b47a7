import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const program = fileURLToPath(new URL("support/collected-turns.mjs", import.meta.url));

// In a process of its own: what other tests leave to the collector would be counted.
test("little but rows and events outlives the collector's short runs", async () => {
  const base = mkdtempSync(join(tmpdir(), "collected-"));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", program, base, "1000"]);
  const { outcomes, short, full } = JSON.parse(stdout) as Record<"short" | "full", number> & {
    outcomes: string[];
  };
  expect(outcomes).toEqual(["completed"]);
  // 1.3 on Node 20; 1.9 where a call's context is reached from among the old.
  expect(short / full).toBeLessThan(1.6);
});
