import { SessionError } from "@mobkit/session";
import { describe, expect, it } from "vitest";
import { ParkedSessionError } from "../../src/agent/turn/run-turn.ts";
import {
  exitCodeOf,
  exitCodeOfError,
  exitCodeOfOutput,
  UsageError,
} from "../../src/cli/terminal/exit-code.ts";
import { StartError } from "../../src/config/start-error.ts";

describe("the exit code", () => {
  it.each([
    [{ outcome: "completed" }, 0],
    [{ outcome: "failed" }, 1],
    [{ outcome: "stopped", stoppedBy: "deadline" }, 3],
    [{ outcome: "stopped", stoppedBy: "token_budget" }, 3],
    [{ outcome: "stopped", stoppedBy: "tool_budget" }, 3],
    [{ outcome: "stopped", stoppedBy: "rounds" }, 3],
    [{ outcome: "parked" }, 4],
    [{ outcome: "stopped", stoppedBy: "stop" }, 130],
    [{ outcome: "cancelled" }, 130],
  ] as const)("of a run that ended as %j is %i", (report, code) => {
    expect(exitCodeOf(report)).toBe(code);
  });

  const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };
  const report = (stoppedBy: "output" | "deadline") =>
    ({ runId: "r", outcome: "stopped", stoppedBy, usage }) as const;

  it.each([
    ["accepted", { status: "accepted" }, 0],
    ["a mismatch that used up its attempts", { status: "mismatch", report: report("output") }, 1],
    ["a mismatch that a bound cut off", { status: "mismatch", report: report("deadline") }, 3],
    ["bounded", { status: "bounded" }, 3],
    ["parked", { status: "parked" }, 4],
    ["cancelled", { status: "cancelled" }, 130],
    ["a failure before any turn", { status: "failed", error: new StartError("store", ["x"]) }, 5],
    ["a parked session", { status: "failed", error: new ParkedSessionError("a") }, 4],
    ["any other failure", { status: "failed", error: new Error("x") }, 1],
  ])("of a typed run that ended as %s is told", (_name, attempt, code) => {
    expect(exitCodeOfOutput(attempt as never)).toBe(code);
  });

  const held = { sessionId: "s", owner: "host:1", expiresAt: 0 };
  it.each([
    ["arguments", new UsageError(["x"]), 2],
    ["arguments of a start", new StartError("arguments", ["x"]), 2],
    ["a start", new StartError("trust", ["x"]), 5],
    ["a session that another process has", new SessionError("lease_held", "x", { details: held }), 5],
    ["anything else", new Error("x"), 1],
  ])("of a command that threw over %s is told", (_name, error, code) => {
    expect(exitCodeOfError(error)).toBe(code);
  });
});
