import { openSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";
import { runInto } from "./support/basis-process.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.remove());

// S12
describe("standard error shows instead of sending what would steer a terminal:", () => {
  it("what a hook printed in place of an answer", async () => {
    bench.hook("loud", `process.stdout.write("\\u001B[2Jgone\\r\\u202E")`, ["list"]);
    const model = bench.script([{ calls: [{ name: "list", input: {} }] }, { text: "ok" }]);
    const ended = await bench.run(["run", "go on", "--model", model]);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain("\\u{1b}[2Jgone\\u{d}\\u{202e}");
    for (const sent of ["\u001B", "\r", "\u202E"]) expect(ended.stderr).not.toContain(sent);
  });

  it("the name of a tool that a model made up", async () => {
    const model = bench.script([{ calls: [{ name: "x\u001B[2J", input: {} }] }, { text: "ok" }]);
    const ended = await bench.run(["run", "go on", "--model", model]);
    expect(ended.stderr).toContain("failed    x\\u{1b}[2J: ");
    expect(ended.stderr).not.toContain("\u001B");
  });
});

describe("a standard output that cannot be written", () => {
  it.each([
    ["an answer", ["run", "go on", "--model"]],
    ["events", ["run", "go on", "--json", "--model"]],
  ])("is told in one line and ends with 1: %s", async (_what, argv) => {
    const model = bench.script([{ text: "ok" }]);
    const ended = await runInto(openSync("/dev/full", "w"), [...argv, model], {
      cwd: bench.workspace,
      env: bench.env(),
    });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("basis: standard output cannot be written: ENOSPC");
    expect(ended.stderr).not.toContain("    at ");
  });

  it("is told by commands that only look, too", async () => {
    const ended = await runInto(openSync("/dev/full", "w"), ["--version"], {
      cwd: bench.workspace,
      env: bench.env(),
    });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("standard output cannot be written");
  });
});
