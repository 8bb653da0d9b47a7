import { manualClock } from "@basis/core/testing";
import { describe, expect, test } from "vitest";
import { textOutcome, type ToolOutcome } from "../../src/tools/tool.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { calls, openTestHost, resultsOf, type TestHostOptions } from "../harness/test-host.ts";

const usage = { inputTokens: 60, outputTokens: 40 };
const change = (id: string) => ({ ...calls({ name: "probe", input: {}, id }), usage });
const agents = { main: [change("1"), change("2"), change("3"), { text: "done", usage }] };

async function runBounded(bounds: object, options: TestHostOptions = {}) {
  const probe = probeTool("probe");
  const host = await openTestHost({ agents, tools: [probe], ...options });
  const report = await host.run("go", { bounds });
  const { sessionId } = report.transcript!;
  return { host, probe, report, results: resultsOf(await host.transcript(sessionId)) };
}

describe("a run within all of its bounds completes", () => {
  test.each([
    ["tokens", { tokenBudget: 401 }],
    ["calls", { toolBudget: 3 }],
    ["rounds", { maxRounds: 4 }],
    ["time", { deadlineMs: 60_000 }],
  ])("with the last of its %s unused", async (_what, bounds) => {
    const { report } = await runBounded(bounds);
    expect(report).toMatchObject({ outcome: "completed", text: "done" });
  });
});

test("the token budget ends a run before the next round, and its work is kept", async () => {
  const { host, probe, report, results } = await runBounded({ tokenBudget: 200 });
  expect(report).toMatchObject({ outcome: "stopped", stoppedBy: "token_budget" });
  expect([probe.ran.length, host.models.requests.length]).toEqual([2, 2]);
  expect(Object.keys(results)).toEqual(["1", "2"]);
  expect(host.events.data("run_finished")).toMatchObject([{ status: "stopped", stopped_by: "token_budget" }]);
});

test("the tool budget refuses the call beyond it, and ends the run after that round", async () => {
  const { host, probe, report, results } = await runBounded({ toolBudget: 1 });
  expect(report).toMatchObject({ outcome: "stopped", stoppedBy: "tool_budget" });
  expect([probe.ran.length, host.models.requests.length]).toEqual([1, 2]);
  expect(results["2"]).toEqual({
    type: "error-text",
    value: "not executed: the run's tool budget is used up",
  });
});

test("the bound on rounds ends a run", async () => {
  const { probe, report } = await runBounded({ maxRounds: 2 });
  expect(report).toMatchObject({ outcome: "stopped", stoppedBy: "rounds" });
  expect(probe.ran).toHaveLength(2);
});

test("the deadline ends a run in the middle of a tool, keeps its work and tells the tool to stop", async () => {
  const clock = manualClock();
  let stopped = false;
  const run = (_: unknown, { signal }: { signal: AbortSignal }): Promise<ToolOutcome> =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        stopped = true;
        resolve(textOutcome("stopped"));
      });
      setImmediate(() => clock.advance(1000));
    });
  const probe = probeTool("probe", { run });
  const { report, results } = await runBounded({ deadlineMs: 1000 }, { tools: [probe], clock });
  expect(report).toMatchObject({ outcome: "stopped", stoppedBy: "deadline" });
  expect(stopped).toBe(true);
  expect(results["1"]).toMatchObject({ type: "error-text", value: "interrupted: outcome unknown" });
});

test("the deadline ends a run in the middle of a model round", async () => {
  const clock = manualClock();
  const { report, host } = await runBounded(
    { deadlineMs: 1000 },
    {
      clock,
      onRequest: (_request, number) => {
        if (number === 2) clock.advance(1000);
      },
    },
  );
  expect(report).toMatchObject({ outcome: "stopped", stoppedBy: "deadline" });
  expect(host.events.data("run_finished")[0]!.usage.complete).toBe(false);
});

test("the deadline counts from the run's beginning, not from its preparation", async () => {
  const clock = manualClock();
  const host = await openTestHost({ agents: { main: [{ text: "done" }] }, clock });
  const prepared = await host.runtime.prepare(host.facts, { bounds: { deadlineMs: 1000 } });
  clock.advance(5000);
  expect(await prepared.run("go")).toMatchObject({ outcome: "completed" });
});

test("each run of a session has its bounds anew", async () => {
  const host = await openTestHost({
    agents: {
      main: [
        { text: "one", usage },
        { text: "two", usage },
      ],
    },
  });
  const first = await host.run("go", { bounds: { tokenBudget: 100 } });
  const { sessionId } = first.transcript!;
  const second = await host.run("go", { sessionId, bounds: { tokenBudget: 100 } });
  expect([first.outcome, second.outcome]).toEqual(["completed", "completed"]);
});
