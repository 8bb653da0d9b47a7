import { describe, expect, it } from "vitest";
import { commandResult, delegationResult } from "../src/results/index.ts";

describe("what the delegating agent reads of its child", () => {
  // C59, C60
  it.each([
    [{ text: "Found it in a.ts." }, "Found it in a.ts.", false],
    [{ text: " \n" }, "The subagent finished without saying anything.", false],
    [{}, "The subagent finished without saying anything.", false],
    [{ text: "half", failure: "the deadline passed" }, "the delegated run failed: the deadline passed", true],
    [{ failure: "" }, "the delegated run failed: no reason was given", true],
  ])("of %j is %j", (end, output, isError) => {
    expect(delegationResult(end)).toEqual({ output, isError });
  });
});

describe("what the model reads of a command", () => {
  const silent = { stdout: "", stderr: "", exitCode: 0 };

  // C61, C62
  it.each([
    [{ ...silent, stdout: "out\n", stderr: "warn" }, "out\n", false],
    [{ ...silent, stderr: "warn" }, "warn", false],
    [silent, "", false],
    [{ ...silent, exitCode: 2, stdout: "out", stderr: "err" }, "err", true],
    [{ ...silent, exitCode: 2, stdout: "out", stderr: "\n" }, "out", true],
    [{ ...silent, exitCode: 2 }, "Command exited with status 2", true],
    [{ ...silent, exitCode: null, timedOut: true }, "Command timed out after the configured limit", true],
    [{ ...silent, exitCode: 0, timedOut: true }, "Command timed out after the configured limit", true],
    [{ ...silent, exitCode: null, timedOut: true, stdout: "half" }, "half", true],
    [{ ...silent, exitCode: null, signal: "SIGKILL" }, "Command was ended by SIGKILL", true],
    [{ ...silent, exitCode: null }, "Command was ended by a signal", true],
  ])("of %j is %j", (end, output, isError) => {
    expect(commandResult(end)).toEqual({ output, isError });
  });
});
