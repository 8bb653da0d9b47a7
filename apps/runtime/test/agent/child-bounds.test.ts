import { manualClock } from "@basis/core/testing";
import { describe, expect, test } from "vitest";
import { textOutcome, type ToolOutcome } from "../../src/tools/tool.ts";
import { probeTool, readProbe } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, resultsOf, type TestHost } from "../harness/test-host.ts";

const spawn = (input: string, id = "c1") => calls({ name: "spawn", input: { input }, id });
const usage = { inputTokens: 60, outputTokens: 40 };
const look = (id: string) => ({ ...calls({ name: "look", input: {}, id }), usage });

// C54, L3: one pool; the report equals what was counted, and no run in flight overshoots by more than a round.
test("parent and child draw from one budget of tokens, and the parent's report is its whole account", async () => {
  const host = await openTestHost({
    tools: [readProbe("look")],
    agents: {
      main: [
        { ...spawn("go"), usage },
        { text: "done", usage },
      ],
      child: [look("1"), look("2"), { text: "found", usage }],
    },
  });
  const report = await host.run("go", { bounds: { tokenBudget: 250 } });
  expect(report).toMatchObject({ outcome: "stopped", stoppedBy: "token_budget" });
  expect(report.usage).toMatchObject({ inputTokens: 180, outputTokens: 120 });
  const { sessionId } = report.transcript!;
  expect(resultsOf(await host.transcript(sessionId))["c1"]).toEqual({
    type: "error-text",
    value: "the delegated run failed: it was stopped by token_budget",
  });
  const counted = host.events.data("usage").reduce((sum, each) => sum + each.usage.input_tokens, 0);
  expect(counted).toBe(report.usage.inputTokens);
});

// C55
test("a parent over its budget gets a child without a single request, and a failed result", async () => {
  const host = await openTestHost({
    agents: { main: [{ ...spawn("go"), usage }, { text: "done" }], child: [{ text: "found" }] },
  });
  const report = await host.run("go", { bounds: { tokenBudget: 100 } });
  expect(report).toMatchObject({ outcome: "stopped", stoppedBy: "token_budget" });
  expect(host.models.of("child")).toEqual([]);
  const { sessionId } = report.transcript!;
  expect(resultsOf(await host.transcript(sessionId))["c1"]).toMatchObject({
    type: "error-text",
    value: expect.stringContaining("the token pool of this work is used up"),
  });
});

test("the host's own limit on a tree's tokens holds without a budget of the run's", async () => {
  const host = await openTestHost({
    tools: [readProbe("look")],
    limits: { maxTokens: 150 },
    agents: { main: [look("1"), look("2"), { text: "done" }] },
  });
  expect(await host.run("go")).toMatchObject({ outcome: "stopped", stoppedBy: "token_budget" });
  expect(host.models.requests).toHaveLength(2);
});

// C56
test("a child's tool calls are counted anew under its parent's limit", async () => {
  const host = await openTestHost({
    tools: [readProbe("look")],
    agents: {
      main: [spawn("go"), calls({ name: "look", input: {} }), { text: "done" }],
      child: [look("1"), look("2"), { text: "found" }],
    },
  });
  const report = await host.run("go", { bounds: { toolBudget: 2 } });
  expect(report).toMatchObject({ outcome: "completed" });
  const over = await host.run("go", { bounds: { toolBudget: 1 } });
  expect(JSON.stringify(await host.transcript(over.transcript!.sessionId))).toContain(
    "the delegated run failed: it was stopped by tool_budget",
  );
});

// C57, C58
describe("what ends a parent ends its child", () => {
  const agents = {
    main: [spawn("go"), { text: "done" }],
    child: [calls({ name: "wait", input: {} }), { text: "found" }],
  };
  /** A tool that waits until it is told to stop. */
  const waiting = (began: () => void) =>
    probeTool("wait", {
      run: (_input, { signal }): Promise<ToolOutcome> =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve(textOutcome("stopped")));
          setImmediate(began);
        }),
    });

  test("its deadline, which is one moment for both", async () => {
    const clock = manualClock();
    const host = await openTestHost({ agents, tools: [waiting(() => clock.advance(1000))], clock });
    const report = await host.run("go", { bounds: { deadlineMs: 1000 } });
    expect(report).toMatchObject({ outcome: "stopped", stoppedBy: "deadline" });
    expect(host.events.data("child_finished")).toMatchObject([{ status: "stopped" }]);
    const order = host.events.types().filter((type) => type === "child_finished" || type === "run_finished");
    expect(order).toEqual(["run_finished", "child_finished", "run_finished"]);
  });

  test.each(["stop", "cancel"] as const)(
    "a %s, and the parent's end is the last that is told",
    async (how) => {
      const host: TestHost = await openTestHost({ agents, tools: [waiting(() => prepared[how]())] });
      const prepared = await host.runtime.prepare(host.facts);
      const report = await prepared.run("go");
      const status = how === "stop" ? "stopped" : "cancelled";
      expect(report.outcome).toBe(status);
      expect(host.events.data("child_finished")).toMatchObject([{ status }]);
      expect(host.events.data("run_finished").map((each) => each.status)).toEqual([status, status]);
    },
  );
});

// L1
test("a hundred delegations at once keep to the limit on concurrent children and all finish", async () => {
  const seen = { now: 0, most: 0 };
  const tool = readProbe("look", {
    run: async () => {
      seen.now += 1;
      seen.most = Math.max(seen.most, seen.now);
      await new Promise<void>((resolve) => setImmediate(resolve));
      seen.now -= 1;
      return textOutcome("seen");
    },
  });
  const host = await openTestHost({
    tools: [tool],
    limits: { maxConcurrent: 8, whenFull: "wait" },
    agents: {
      main: [spawn("go"), { text: "done" }],
      child: [calls({ name: "look", input: {} }), { text: "found" }],
    },
  });
  const runs = await Promise.all(Array.from({ length: 100 }, () => host.run("go")));
  expect(runs.every(({ outcome }) => outcome === "completed")).toBe(true);
  expect(seen.most).toBeLessThanOrEqual(8);
  expect(host.events.data("child_finished")).toHaveLength(100);
});

test("beyond the limit a host that does not wait refuses with words, and the run goes on", async () => {
  const host = await openTestHost({
    limits: { maxConcurrent: 1 },
    agents: {
      main: [spawn("go"), { text: "done" }],
      child: [spawn("more"), { text: "found" }],
    },
  });
  expect(await host.run("go")).toMatchObject({ outcome: "completed" });
  expect(JSON.stringify(host.models.of("child")[1]!.messages)).toContain("no more than 1 may run at once");
});

// L2
test("children that were started before a turn waited count when it goes on", async () => {
  const approver = new RecordingApprover(({ toolName }) => ({
    decision: toolName === "probe" ? "park" : "allow",
  }));
  const host = await openTestHost({
    tools: [probeTool("probe")],
    limits: { maxPerRun: 2 },
    approver,
    agents: {
      main: [
        spawn("one", "c1"),
        calls({ name: "probe", input: {} }),
        spawn("two", "c2"),
        spawn("three", "c3"),
        { text: "done" },
        spawn("four", "c4"),
        { text: "done" },
      ],
      child: [{ text: "found" }],
    },
  });
  const parked = await host.run("go");
  const { sessionId } = parked.transcript!;
  await host.state.ledger.approvals.resolve(parked.approvalId!, {
    decision: "allow",
    by: "x",
    at: Date.now(),
  });
  await host.run(undefined, { sessionId });
  const results = resultsOf(await host.transcript(sessionId)) as Record<string, { value: string }>;
  expect(results["c2"]!.value).toBe("found");
  expect(results["c3"]!.value).toContain("this run has started 2 subagents and may start no more than 2");
  await host.run("a turn of its own", { sessionId });
  expect((await host.state.store.sideState(sessionId, "runtime.tree_account"))!.value).toBeNull();
  const after = resultsOf(await host.transcript(sessionId)) as Record<string, { value: string }>;
  expect(after["c4"]!.value).toBe("found");
});
