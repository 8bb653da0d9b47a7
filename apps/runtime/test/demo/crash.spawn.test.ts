import { expect, it, onTestFinished } from "vitest";
import { Bench } from "../cli/support/bench.ts";

it("basis demo --crash kills a process in the middle of a call, and its session is gone on with", async () => {
  const bench = new Bench();
  onTestFinished(() => bench.remove());
  const ended = await bench.run(["demo", "--crash"]);
  expect(ended.stderr).toBe("");
  expect(ended.code).toBe(0);
  expect(ended.stdout).toMatch(/killed +process \d+, by SIGKILL/);
  expect(ended.stdout).toMatch(/healed +run: interrupted/);
  expect(ended.stdout).toContain("I do not repeat it");
  expect(await bench.run(["demo", "--crash", "--open"])).toMatchObject({ code: 2 });
});
