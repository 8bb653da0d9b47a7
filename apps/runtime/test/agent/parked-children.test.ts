import type { ApprovalSubject } from "@basis/approval";
import { ChildSpec, ToolRoster } from "@basis/child-policy";
import { manualClock } from "@basis/core/testing";
import { SessionError } from "@mobkit/session";
import { describe, expect, test } from "vitest";
import type { HostStore } from "../../src/store/host-store.ts";
import { ParkedSessionError } from "../../src/agent/turn/run-turn.ts";
import { probeTool } from "../harness/probe-tool.ts";
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
const spawn = { name: "spawn", input: { input: "try it" }, id: "task" };
const probe = calls({ name: "probe", input: { value: "x" }, id: "asks" });
const agents = { main: [calls(spawn), { text: "done" }], child: [probe, { text: "I tried" }] };

/** Delegating is allowed; what else changes something waits. */
const parkProbes = (): RecordingApprover =>
  new RecordingApprover((subject: ApprovalSubject) => ({
    decision: subject.toolName === "spawn" ? "allow" : "park",
  }));

async function park(options: TestHostOptions = {}) {
  const tool = probeTool("probe");
  const host = await openTestHost({ agents, tools: [tool], approver: parkProbes(), ...options });
  const report = await host.run("go");
  return { host, tool, report, sessionId: report.transcript!.sessionId, id: report.approvalId! };
}

async function answer(host: TestHost, id: string, decision: "allow" | "deny"): Promise<void> {
  const resolution = { decision, by: "the operator", reason: "I looked", at: Date.now() } as const;
  expect(await host.state.ledger.approvals.resolve(id, resolution)).toMatchObject({ ok: true });
}

// D12
describe.each(stateKinds)("a child that waits for an approval, with the state in %s", (state) => {
  test("parks its root, which names the approval and the path of the agent that asks", async () => {
    const { host, tool, report, sessionId, id } = await park({ state });
    expect(report).toMatchObject({ outcome: "parked", approvalId: expect.any(String) });
    expect(tool.ran).toEqual([]);
    const record = await host.state.ledger.approvals.get(id);
    const { member } = (await host.state.store.head(sessionId)).binding!;
    expect(record!.agentId).toMatch(new RegExp(`^${member}/child-`));
    expect(host.approver.asked.map(({ agentId }) => agentId)).toEqual([member, record!.agentId]);
    expect(await host.state.store.head(sessionId)).toMatchObject({
      openCalls: ["call:task"],
      pendingApprovals: 1,
      runTurn: null,
    });
  });

  test("goes on in its own session once it is allowed, and its root after it", async () => {
    const { host, tool, sessionId, id } = await park({ state });
    await answer(host, id, "allow");
    expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed", text: "done" });
    expect(tool.ran).toEqual([{ value: "x" }]);
    expect(resultsOf(await host.transcript(sessionId))["task"]).toMatchObject({ value: "I tried" });
    expect(host.approver.asked).toHaveLength(2);
    const { items } = await host.state.store.listSessions({ limit: 10 });
    expect(items.map(({ openCalls, pendingApprovals }) => [openCalls, pendingApprovals])).toEqual([
      [[], 0],
      [[], 0],
    ]);
    expect(await host.state.ledger.intentsOf(sessionId)).toMatchObject([{ toolName: "spawn" }]);
  });

  test("is told its refusal, and says so to its root", async () => {
    const { host, tool, sessionId, id } = await park({ state });
    await answer(host, id, "deny");
    expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed" });
    expect(tool.ran).toEqual([]);
    const { sessionId: childId } = (await host.state.ledger.approvals.get(id))!;
    expect(resultsOf(await host.transcript(childId!))["asks"]).toMatchObject({
      value: "Tool execution denied: I looked",
    });
  });

  test("waits on while nobody has answered, and keeps a prompt out of its root", async () => {
    const { host, tool, sessionId, id } = await park({ state });
    expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "parked", approvalId: id });
    await expect(host.run("something else", { sessionId })).rejects.toThrow(ParkedSessionError);
    await answer(host, id, "allow");
    expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed" });
    expect(tool.ran).toHaveLength(1);
  });

  test("waits again for its next call", async () => {
    const child = [probe, calls({ name: "probe", input: { value: "y" } }), { text: "I tried" }];
    const { host, tool, sessionId, id } = await park({ state, agents: { ...agents, child } });
    await answer(host, id, "allow");
    const second = await host.run(undefined, { sessionId });
    expect(second).toMatchObject({ outcome: "parked" });
    expect(second.approvalId).not.toBe(id);
    await answer(host, second.approvalId!, "allow");
    expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed" });
    expect(tool.ran).toEqual([{ value: "x" }, { value: "y" }]);
  });
});

test("a grandchild that waits parks the whole path, and goes on from its root", async () => {
  const child = [calls({ ...spawn, input: { input: "deeper" } }), { text: "it tried" }];
  const nested = { ...agents, child, deep: [probe, { text: "I tried" }] };
  const nameChild = ({ task }: { task: string }): string => (task === "deeper" ? "deep" : "child");
  const { host, tool, sessionId, id } = await park({ agents: nested, nameChild });
  expect((await host.state.ledger.approvals.get(id))!.agentId).toMatch(/\/child-\w+\/deep-\w+$/);
  await answer(host, id, "allow");
  expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed" });
  expect(tool.ran).toEqual([{ value: "x" }]);
});

// L2
test("a child that goes on counts once towards the children of its run", async () => {
  const main = [calls(spawn), calls({ ...spawn, id: "second" }), { text: "done" }];
  const { host, tool, sessionId, id } = await park({
    agents: { ...agents, main },
    limits: { maxPerRun: 1 },
  });
  await answer(host, id, "allow");
  expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed" });
  expect(tool.ran).toEqual([{ value: "x" }]);
  const results = resultsOf(await host.transcript(sessionId));
  expect(results["task"]).toMatchObject({ value: "I tried" });
  expect(results["second"]).toMatchObject({ type: "error-text" });
});

test("a child whose approval expired is denied and goes on", async () => {
  const clock = manualClock();
  const { host, tool, sessionId } = await park({ clock });
  clock.advance(DAY_MS);
  expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed", text: "done" });
  expect(tool.ran).toEqual([]);
});

test("a child that waited in a process that is gone goes on in the next", async () => {
  const first = await park({ state: "sqlite" });
  await answer(first.host, first.id, "allow");
  await first.host.close();
  const tool = probeTool("probe");
  const options = { state: "sqlite", after: first.host, agents, tools: [tool] } as const;
  const next = await openTestHost(options);
  expect(await next.run(undefined, { sessionId: first.sessionId })).toMatchObject({ outcome: "completed" });
  expect(tool.ran).toEqual([{ value: "x" }]);
  expect(next.approver.asked).toEqual([]);
});

test("a child that came to its end while its parent's process died is heard, and not asked again", async () => {
  let isGone = false;
  let root = "";
  const wrapStore = (store: HostStore): HostStore => ({
    ...store,
    async append(id, change) {
      if (isGone && id === root)
        throw new SessionError("store_unavailable", "gone", { details: { operation: "append" } as never });
      return store.append(id, change);
    },
  });
  const { host, tool, sessionId, id } = await park({ wrapStore });
  root = sessionId;
  await answer(host, id, "allow");
  isGone = true;
  expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "failed" });
  isGone = false;
  expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed", text: "done" });
  expect(tool.ran).toEqual([{ value: "x" }]);
  const heard = { type: "text", value: "I tried" };
  expect(resultsOf(await host.transcript(sessionId))["task"]).toMatchObject(heard);
  const statuses = host.events.data("child_finished").map(({ status }) => status);
  expect(statuses).toEqual(["parked", "completed", "completed"]);
});

// S10, C4
test("a policy that would plan another child by then goes on with none", async () => {
  let spec = ChildSpec.inherit();
  const { host, tool, sessionId, id } = await park({ childPolicy: () => spec });
  await answer(host, id, "allow");
  spec = spec.withRoster(ToolRoster.hide(["read"]));
  expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed" });
  expect(tool.ran).toEqual([]);
  expect(resultsOf(await host.transcript(sessionId))["task"]).toMatchObject({
    type: "error-text",
    value: expect.stringContaining("stale_approval"),
  });
});

// S10: the guards are asked again when a call goes on.
test("a guard that refuses the delegation by then ends it", async () => {
  let refuse = false;
  const { host, tool, sessionId, id } = await park({
    interceptors: [
      {
        name: "guard",
        intercept: ({ toolName }) =>
          refuse && toolName === "spawn" ? { decision: "deny", reason: "not now" } : { decision: "allow" },
      },
    ],
  });
  await answer(host, id, "allow");
  refuse = true;
  expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed" });
  expect(tool.ran).toEqual([]);
});

// ADR 0025: what was approved goes on, but for what a rule denies by now.
test("a deny rule that came while the child waited ends the delegation, and closes its question", async () => {
  const { host, tool, sessionId, id } = await park();
  const reason = "no more delegating";
  await host.state.ledger.rules.add({ toolName: "spawn", effect: "deny", scope: "global", reason });
  const asked = host.approver.asked.length;
  expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed" });
  expect(tool.ran).toEqual([]);
  expect(host.approver.asked).toHaveLength(asked);
  expect(resultsOf(await host.transcript(sessionId))["task"]).toMatchObject({
    type: "error-text",
    value: expect.stringContaining(reason),
  });
  expect(host.events.data("permission_resolved").at(-1)).toMatchObject({ decision: "deny", reason });
  const { ledger } = host.state;
  expect(await ledger.approvals.list({ state: "open" })).toEqual([]);
  expect(await ledger.approvals.get(id)).toMatchObject({ state: "denied" });
});
