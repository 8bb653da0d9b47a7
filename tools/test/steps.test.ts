import { afterEach, describe, expect, it } from "vitest";
import { checks } from "../checks/index.mjs";
import { runProgram, Steps } from "../steps.mjs";

afterEach(() => {
  process.exitCode = undefined;
});

describe("steps", () => {
  it("go on after a failure and remember it", async () => {
    const lines: string[] = [];
    const steps = new Steps((line) => lines.push(line));
    expect(await steps.run("finds nothing", () => [])).toBe(true);
    expect(await steps.run("finds something", () => ["a problem"])).toBe(false);
    expect(await steps.run("breaks", () => Promise.reject(new Error("broken")))).toBe(false);
    expect(await steps.run("still runs", async () => [])).toBe(true);
    expect(steps).toMatchObject({
      passed: ["finds nothing", "still runs"],
      failed: ["finds something", "breaks"],
    });
    steps.finish();
    expect(process.exitCode).toBe(1);
    expect(lines).toEqual(expect.arrayContaining(["  a problem", "✗ failed: finds something, breaks"]));
    expect(lines[0]).toMatch(/^✓ finds nothing \(\d+\.\d s\)$/);
  });

  it("fail with a program that fails or is missing, and show what it said", async () => {
    const node = (code: string) => runProgram(process.execPath, ["--eval", code], { quiet: true });
    expect(await node("")).toEqual([]);
    expect((await node("console.error('said'); process.exit(3)")).join(" ")).toMatch(/said .* ended with 3/);
    expect((await runProgram("no-such-program-here", [], { quiet: true })).join(" ")).toMatch(
      /could not be started/,
    );
  });
});

describe("the list of checks", () => {
  it("names each check once", () => {
    const names = checks.map((check) => check.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(["layering", "file sizes", "snippets"]));
  });
});
