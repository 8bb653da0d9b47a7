import { loadDriver, type SqliteDriver } from "@mobkit/session-sqlite";
import { faultyDriver, type DriverStep } from "@mobkit/session-sqlite/testing";
import { describe, expect, test } from "vitest";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, resultsOf } from "../harness/test-host.ts";

const agents = { main: [calls({ name: "probe", input: { value: "x" }, id: "c1" }), { text: "done" }] };

/**
 * A driver whose commits of the session store fail as told, once `armed`: before they happen, or after, so that only
 * their reply is lost. A turn with one call has eight: lease, request head, prompt, answer, intent, result, last answer,
 * release.
 */
async function failingCommits() {
  const plan = {
    armed: false,
    fail: 0,
    kept: true,
    commits: 0,
    failed: 0,
    only: (commit: number): boolean => commit > 0,
  };
  const disturb = (step: DriverStep, kept: boolean): void => {
    if (!plan.armed || step.sql !== "COMMIT" || step.operation !== "run" || plan.kept !== kept) return;
    plan.commits += 1;
    if (plan.failed >= plan.fail || !plan.only(plan.commits)) return;
    plan.failed += 1;
    throw Object.assign(new Error("disk I/O error"), { errcode: 10 });
  };
  const driver: SqliteDriver = faultyDriver(await loadDriver(), {
    before: (step) => disturb(step, false),
    after: (step) => disturb(step, true),
  });
  return { driver, plan };
}

async function runDisturbed(disturb: (plan: Awaited<ReturnType<typeof failingCommits>>["plan"]) => void) {
  const { driver, plan } = await failingCommits();
  const probe = probeTool("probe");
  const host = await openTestHost({ state: "sqlite", driver, agents, tools: [probe] });
  const prepared = await host.runtime.prepare(host.facts);
  disturb(plan);
  plan.armed = true;
  const report = await prepared.run("go");
  plan.armed = false;
  return { host, probe, plan, report, sessionId: prepared.sessionId };
}

// S27
describe("a commit whose reply is lost", () => {
  test.each([1, 2, 3, 4, 5, 6, 7])(
    "is asked for again and happens once: commit %d of a turn",
    async (number) => {
      const { host, probe, plan, report, sessionId } = await runDisturbed((plan) =>
        Object.assign(plan, { kept: true, fail: 1, only: (commit: number) => commit === number }),
      );
      expect(plan.failed).toBe(1);
      expect(report).toMatchObject({ outcome: "completed", text: "done" });
      expect(probe.ran).toHaveLength(1);
      expect((await host.transcript(sessionId)).map(({ role }) => role)).toEqual([
        "user",
        "assistant",
        "tool",
        "assistant",
      ]);
      expect(await host.state.ledger.intentsOf(sessionId)).toHaveLength(1);
    },
  );
});

test("a commit that never answers ends the run, and the session is left as the next turn may find it", async () => {
  const { host, report, sessionId } = await runDisturbed((plan) =>
    Object.assign(plan, { kept: true, fail: 3, only: (commit: number) => commit >= 4 }),
  );
  expect(report).toMatchObject({ outcome: "failed", failure: { code: "store_unavailable" } });
  expect(await host.state.store.head(sessionId)).toMatchObject({ runTurn: null, openCalls: [], len: 3 });
});

// S28
describe("using an approval up and recording the intent", () => {
  const intentCommit = (commit: number): boolean => commit >= 5;

  test("are tried again together when their commit did not happen", async () => {
    const { host, probe, plan, report, sessionId } = await runDisturbed((plan) =>
      Object.assign(plan, { kept: false, fail: 1, only: intentCommit }),
    );
    expect(plan.failed).toBe(1);
    expect(report.outcome).toBe("completed");
    expect(probe.ran).toHaveLength(1);
    expect(await host.state.ledger.intentsOf(sessionId)).toHaveLength(1);
  });

  test("happen neither when their commit never happens, and the tool does not run", async () => {
    const { driver, plan } = await failingCommits();
    const probe = probeTool("probe");
    const approver = new RecordingApprover({ decision: "park" });
    const host = await openTestHost({ state: "sqlite", driver, agents, tools: [probe], approver });
    const parked = await host.run("go");
    const { sessionId } = parked.transcript!;
    const { approvals } = host.state.ledger;
    await approvals.resolve(parked.approvalId!, { decision: "allow", by: "x", at: Date.now() });
    Object.assign(plan, { kept: false, fail: 3, only: (commit: number) => commit >= 3, armed: true });
    const report = await host.run(undefined, { sessionId });
    expect(plan.failed).toBe(3);
    expect(report).toMatchObject({ outcome: "failed", failure: { code: "store_unavailable" } });
    expect(probe.ran).toEqual([]);
    expect(await host.state.ledger.intentsOf(sessionId)).toEqual([]);
    expect(await approvals.get(parked.approvalId!)).toMatchObject({ state: "allowed" });
    plan.armed = false;
    expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed" });
    expect(probe.ran).toHaveLength(1);
    expect(await approvals.get(parked.approvalId!)).toMatchObject({ state: "redeemed" });
  });
});

test("a store that fails ends the run instead of becoming a tool's result", async () => {
  const { host, probe, report, sessionId } = await runDisturbed((plan) =>
    Object.assign(plan, { kept: false, fail: 3, only: (commit: number) => commit >= 5 }),
  );
  expect(report).toMatchObject({ outcome: "failed", failure: { code: "store_unavailable" } });
  expect(probe.ran).toEqual([]);
  expect(resultsOf(await host.transcript(sessionId))["c1"]).toEqual({
    type: "error-text",
    value: "interrupted: it was not started",
  });
  expect(host.models.requests).toHaveLength(1);
});
