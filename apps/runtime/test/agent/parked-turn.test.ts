import type { ApprovalResolution } from "@basis/approval";
import { manualClock } from "@basis/core/testing";
import { isForkError } from "@mobkit/fork";
import { describe, expect, test } from "vitest";
import { ParkedSessionError } from "../../src/agent/turn/run-turn.ts";
import { probeTool, readProbe } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import {
  calls,
  openTestHost,
  resultsOf,
  stateKinds,
  type TestHost,
  type TestHostOptions,
} from "../harness/test-host.ts";

const DAY_MS = 86_400_000;
const agents = {
  main: [
    calls(
      { name: "look", input: {}, id: "before" },
      { name: "probe", input: { value: "x" }, id: "waits" },
      { name: "look", input: {}, id: "after" },
    ),
    { text: "done" },
  ],
};

async function park(options: TestHostOptions = {}) {
  const [probe, look] = [probeTool("probe"), readProbe("look")];
  const approver = new RecordingApprover({ decision: "park" });
  const host = await openTestHost({ agents, tools: [probe, look], approver, ...options });
  const report = await host.run("go");
  return { host, probe, look, report, sessionId: report.transcript!.sessionId };
}

async function answer(
  host: TestHost,
  id: string,
  decision: "allow" | "deny",
  at = Date.now(),
): Promise<void> {
  const resolution: ApprovalResolution = { decision, by: "the operator", reason: "I looked at it", at };
  expect(await host.state.ledger.approvals.resolve(id, resolution)).toMatchObject({ ok: true });
}

// D12, D11
describe.each(stateKinds)("a call that waits for its approval, with the state in %s", (state) => {
  test("ends the run as parked, after the other calls of its round are committed", async () => {
    const { host, probe, look, report, sessionId } = await park({ state });
    expect(report).toMatchObject({ outcome: "parked", approvalId: expect.any(String) });
    expect([probe.ran.length, look.ran.length]).toEqual([0, 2]);
    expect(Object.keys(resultsOf(await host.transcript(sessionId)))).toEqual(["before", "after"]);
    const head = await host.state.store.head(sessionId);
    expect(head).toMatchObject({ openCalls: ["call:waits"], pendingApprovals: 1, runTurn: null });
    expect(host.events.data("run_finished")).toMatchObject([
      { status: "parked", approval_id: report.approvalId },
    ]);
  });

  test("runs once it is allowed, without a prompt, and the turn goes on", async () => {
    const { host, probe, report, sessionId } = await park({ state });
    await answer(host, report.approvalId!, "allow");
    const resumed = await host.run(undefined, { sessionId });
    expect(resumed).toMatchObject({ outcome: "completed", text: "done" });
    expect(probe.ran).toEqual([{ value: "x" }]);
    expect(host.approver.asked).toHaveLength(1);
    expect(await host.state.store.head(sessionId)).toMatchObject({ openCalls: [], pendingApprovals: 0 });
    const record = await host.state.ledger.approvals.get(report.approvalId!);
    expect(record).toMatchObject({ state: "redeemed" });
  });

  test("is told its refusal once it is denied", async () => {
    const { host, probe, report, sessionId } = await park({ state });
    await answer(host, report.approvalId!, "deny");
    expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed" });
    expect(probe.ran).toEqual([]);
    expect(resultsOf(await host.transcript(sessionId))["waits"]).toEqual({
      type: "error-text",
      value: "Tool execution denied: I looked at it",
    });
  });

  test("still waits when the session is asked to go on before anybody answered", async () => {
    const { host, probe, report, sessionId } = await park({ state });
    const again = await host.run(undefined, { sessionId });
    expect(again).toMatchObject({ outcome: "parked", approvalId: report.approvalId });
    expect(await host.state.store.head(sessionId)).toMatchObject({ pendingApprovals: 1 });
    await answer(host, report.approvalId!, "allow");
    expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed" });
    expect(probe.ran).toHaveLength(1);
  });

  test("keeps a prompt out, naming the approval, and nothing is lost by the try", async () => {
    const { host, report, sessionId } = await park({ state });
    const refused = host.run("something else", { sessionId });
    await expect(refused).rejects.toThrow(ParkedSessionError);
    await expect(refused).rejects.toMatchObject({ approvalId: report.approvalId });
    await answer(host, report.approvalId!, "allow");
    expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed" });
    expect(await host.run("now this", { sessionId })).toMatchObject({ outcome: "failed" });
  });
});

test("two calls that wait are both counted, and answered one at a time", async () => {
  const probe = probeTool("probe");
  const two = calls({ name: "probe", input: { value: "1" } }, { name: "probe", input: { value: "2" } });
  const host = await openTestHost({
    agents: { main: [two, { text: "done" }] },
    tools: [probe],
    approver: new RecordingApprover({ decision: "park" }),
  });
  const { sessionId } = (await host.run("go")).transcript!;
  expect(await host.state.store.head(sessionId)).toMatchObject({ pendingApprovals: 2 });
  const [first, second] = await host.state.ledger.approvals.list({ sessionId });
  await answer(host, first!.approvalId, "allow");
  expect(await host.run(undefined, { sessionId })).toMatchObject({
    outcome: "parked",
    approvalId: second!.approvalId,
  });
  expect(await host.state.store.head(sessionId)).toMatchObject({ pendingApprovals: 1 });
  await answer(host, second!.approvalId, "allow");
  expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed" });
  expect(probe.ran).toEqual([{ value: "1" }, { value: "2" }]);
});

test("an approval that expires closes its call as denied, and the session takes prompts again", async () => {
  const clock = manualClock();
  const { host, probe, sessionId } = await park({ clock });
  clock.advance(DAY_MS);
  expect(await host.run("go on", { sessionId })).toMatchObject({ outcome: "completed" });
  expect(probe.ran).toEqual([]);
  expect(resultsOf(await host.transcript(sessionId))["waits"]).toEqual({
    type: "error-text",
    value: "Tool execution denied: the approval expired before the call was run",
  });
  expect(await host.state.store.head(sessionId)).toMatchObject({ pendingApprovals: 0, openCalls: [] });
});

test("a session that waits for an approval is not forked as settled work, and is again afterwards", async () => {
  const { host, report, sessionId } = await park();
  const { member } = (await host.state.store.head(sessionId)).binding!;
  const fork = (identity: string) =>
    host.runtime.fork(member, { identity, role: "main", launchMode: "fresh" });
  await expect(fork("early")).rejects.toSatisfy((error) => isForkError(error, "fork_source_unavailable"));
  await answer(host, report.approvalId!, "allow");
  await host.run(undefined, { sessionId });
  await expect(fork("late")).resolves.toMatchObject({ memberAlias: "late" });
});

// C52
test("an answer to an approval that nobody asked for is refused", async () => {
  const { host } = await park();
  const resolution: ApprovalResolution = { decision: "allow", by: "x", at: Date.now() };
  const result = await host.state.ledger.approvals.resolve("no-such-id", resolution);
  expect(result).toEqual({ ok: false, problem: "unknown" });
});

test("a call that waited in a process that is gone goes on in the next", async () => {
  const first = await park({ state: "sqlite" });
  await answer(first.host, first.report.approvalId!, "allow");
  await first.host.close();
  const [probe, look] = [probeTool("probe"), readProbe("look")];
  const next = await openTestHost({ state: "sqlite", after: first.host, agents, tools: [probe, look] });
  const { sessionId } = first;
  expect(await next.run(undefined, { sessionId })).toMatchObject({ outcome: "completed" });
  expect(probe.ran).toEqual([{ value: "x" }]);
  expect(next.approver.asked).toEqual([]);
});
