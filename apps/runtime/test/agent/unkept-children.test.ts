import type { ApprovalSubject } from "@basis/approval";
import { ChildSpec, ToolRoster } from "@basis/child-policy";
import { SessionError } from "@mobkit/session";
import { describe, expect, test } from "vitest";
import { waitingChildrenOf } from "../../src/agent/children/find-waiting-child.ts";
import type { HostStore } from "../../src/store/host-store.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, resultsOf, stateKinds, type TestHostOptions } from "../harness/test-host.ts";

const spawn = { name: "spawn", input: { input: "try it" }, id: "task" };
const probe = calls({ name: "probe", input: { value: "x" }, id: "asks" });
const agents = { main: [calls(spawn), { text: "done" }], child: [probe, { text: "I tried" }] };

/** A store that is gone whenever a parent keeps that its child waits, so that nothing is kept. */
const forgetful = (store: HostStore): HostStore => ({
  ...store,
  async update(sessionId, change) {
    if (change.sideState?.some(({ kind }) => kind === "runtime.waiting_children"))
      throw new SessionError("store_unavailable", "gone", { details: { operation: "update" } as never });
    return store.update(sessionId, change);
  },
});

/** A host whose child has parked, which nobody has kept. */
async function lose(options: TestHostOptions = {}) {
  const tool = probeTool("probe");
  const approver = new RecordingApprover((subject: ApprovalSubject) => ({
    decision: subject.toolName === "spawn" ? "allow" : "park",
  }));
  const host = await openTestHost({ agents, tools: [tool], approver, wrapStore: forgetful, ...options });
  const report = await host.run("go");
  expect(report.outcome).toBe("parked");
  const [record, ...others] = await host.state.ledger.approvals.list({ state: "open" });
  expect(others).toEqual([]);
  const answer = async (decision: "allow" | "deny"): Promise<void> => {
    const resolution = { decision, by: "the operator", reason: "I looked", at: Date.now() } as const;
    await host.state.ledger.approvals.resolve(record!.approvalId, resolution);
  };
  const sessionId = report.transcript!.sessionId;
  const goOn = () => host.run(undefined, { sessionId });
  const result = async (): Promise<unknown> => resultsOf(await host.transcript(sessionId))["task"];
  return { host, tool, record: record!, sessionId, answer, goOn, result };
}

// D12, ADR 0025
describe.each(stateKinds)("a child whose parent ended before it kept that it waits, in %s", (state) => {
  test("goes on once it is answered, and its parent gets one result", async () => {
    const { host, tool, answer, goOn, result, record } = await lose({ state });
    await answer("allow");
    expect(await goOn()).toMatchObject({ outcome: "completed", text: "done" });
    expect(tool.ran).toEqual([{ value: "x" }]);
    expect(await result()).toMatchObject({ value: "I tried" });
    expect(host.events.data("child_started").map(({ child_session: id }) => id)).toEqual([
      record.sessionId,
      record.sessionId,
    ]);
    expect(host.approver.asked.map(({ toolName }) => toolName)).toEqual(["spawn", "probe"]);
  });

  test("keeps prompts out of its parent while nobody has answered", async () => {
    const { host, tool, sessionId, record } = await lose({ state });
    await expect(host.run("something else", { sessionId })).rejects.toThrow(record.approvalId);
    expect(tool.ran).toEqual([]);
  });

  test("is told its refusal", async () => {
    const { host, tool, answer, goOn, record } = await lose({ state });
    await answer("deny");
    expect(await goOn()).toMatchObject({ outcome: "completed" });
    expect(tool.ran).toEqual([]);
    expect(resultsOf(await host.transcript(record.sessionId!))["asks"]).toMatchObject({
      value: "Tool execution denied: I looked",
    });
  });
});

// L2
test("a child that nobody kept goes on within its run's limit, which it counts towards once", async () => {
  const main = [calls(spawn), calls({ ...spawn, id: "second" }), { text: "done" }];
  const remaining: (number | undefined)[] = [];
  const { host, answer, goOn, result, sessionId } = await lose({
    agents: { ...agents, main },
    limits: { maxPerRun: 1 },
    childPolicy: ({ remaining: { children } }) => (remaining.push(children), ChildSpec.inherit()),
  });
  expect(await host.state.store.sideState(sessionId, "runtime.tree_account")).toMatchObject({
    value: { children: 1 },
  });
  await answer("allow");
  expect(await goOn()).toMatchObject({ outcome: "completed" });
  expect(await result()).toMatchObject({ value: "I tried" });
  const second = resultsOf(await host.transcript(sessionId))["second"];
  expect(second).toMatchObject({ value: expect.stringContaining("started 1 subagents") });
  expect(remaining).toEqual([1, 1]);
});

test("a grandchild's question is found from its root, by the sessions between them", async () => {
  const child = [calls({ ...spawn, input: { input: "deeper" } }), { text: "it tried" }];
  const nameChild = ({ task }: { task: string }): string => (task === "deeper" ? "deep" : "child");
  const { tool, answer, goOn, result } = await lose({
    agents: { ...agents, child, deep: [probe, { text: "I tried" }] },
    nameChild,
  });
  await answer("allow");
  expect(await goOn()).toMatchObject({ outcome: "completed" });
  expect(tool.ran).toEqual([{ value: "x" }]);
  expect(await result()).toMatchObject({ value: "it tried" });
});

// S10, C4
test("a call that is another by then, as its policy plans another child, is stale", async () => {
  let spec = ChildSpec.inherit();
  const { tool, answer, goOn, result } = await lose({ childPolicy: () => spec });
  await answer("allow");
  spec = spec.withRoster(ToolRoster.hide(["read"]));
  expect(await goOn()).toMatchObject({ outcome: "completed" });
  expect(tool.ran).toEqual([]);
  expect(await result()).toMatchObject({ value: expect.stringContaining("stale_approval") });
});

// S17: providers repeat their ids, and other sessions and agents ask questions, too.
test("a question is taken for that of a call's child only where run, call, session and agent say so", async () => {
  const { host, answer, goOn, record, sessionId } = await lose();
  const { store, ledger } = host.state;
  const [intent] = await ledger.intentsOf(sessionId);
  const { member: agentId } = (await store.head(sessionId)).binding!;
  const search = { store, ledger, sessionId, agentId };
  const { approvalId } = record;
  const found = await waitingChildrenOf(search)(intent!);
  expect(found).toMatchObject({ approvalId, sessionId: record.sessionId, agentId: record.agentId });
  expect(found).toMatchObject({ name: "child", approvedDigest: intent!.digest });
  for (const change of [{ runId: "another" }, { toolCallId: "another" }])
    expect(await waitingChildrenOf(search)({ ...intent!, ...change })).toBeUndefined();
  for (const change of [{ agentId: agentId.slice(0, -1) }, { sessionId: record.sessionId! }])
    expect(await waitingChildrenOf({ ...search, ...change })(intent!)).toBeUndefined();
  await answer("deny");
  await goOn();
  expect((await ledger.approvals.get(approvalId))!.state).toBe("denied");
  expect(await waitingChildrenOf(search)(intent!)).toBeUndefined();
});
