import { describe, expect, it } from "vitest";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { missingEvents } from "../demo-events.mjs";
import { countTests } from "../run-vitest.mjs";

/** A test file as vitest reports it. */
const file = (states: string[], errors = 0) => ({
  errors: () => Array.from({ length: errors }),
  children: { allTests: () => states.map((state) => ({ result: () => ({ state }) })) },
});

describe("counting tests", () => {
  it("adds up files", () => {
    const counts = countTests([file(["passed", "passed"]), file(["failed", "passed", "skipped"])], 0);
    expect(counts).toEqual({ passed: 3, failed: 1, skipped: 1 });
  });

  it("counts a file that broke outside its tests, a test that never ended, and an error outside of all", () => {
    expect(countTests([file([])], 0).failed).toBe(1);
    expect(countTests([file([], 1)], 0).failed).toBe(1);
    expect(countTests([file(["pending"])], 0).failed).toBe(1);
    expect(countTests([file(["passed"])], 1).failed).toBe(1);
  });

  it("prints two numbers, and one failure for a run that left no counts", () => {
    const print = (path: string) => {
      const script = fileURLToPath(new URL("../count-tests.mjs", import.meta.url));
      return spawnSync(process.execPath, [script, path], { encoding: "utf8" }).stdout;
    };
    const folder = mkdtempSync(join(tmpdir(), "basis-counts-"));
    writeFileSync(join(folder, "counts.json"), '{"passed":7,"failed":2,"skipped":0}');
    expect(print(join(folder, "counts.json"))).toBe("7 2\n");
    expect(print(join(folder, "none.json"))).toBe("0 1\n");
    rmSync(folder, { recursive: true });
  });
});

describe("the demo's events", () => {
  const types = ["child_previewed", "child_finished", "hook_failed", "output_rejected", "output_accepted"];
  const forks = ["fork_committed", "fork_provisioned", "fork_failed", "fork_recovered"];
  const events = [
    ...[...types, ...forks].map((type) => ({ type, data: {} })),
    ...["deny", "modify", "replace"].map((decision) => ({ type: "hook_decided", data: { decision } })),
  ];
  const log = (list: object[]) => list.map((event) => `${JSON.stringify(event)}\n`).join("");

  it("are complete", () => {
    expect(missingEvents(log(events))).toEqual([]);
  });

  it.each(events.map((_event, index) => index))("are incomplete without number %i", (index) => {
    expect(missingEvents(log(events.toSpliced(index, 1)))).toHaveLength(1);
  });

  it("are JSON lines and nothing else", () => {
    expect(missingEvents("installing…\n")).toEqual([expect.stringContaining("line 1 is not JSON")]);
  });
});
