import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { textOutcome, type ToolContext, type ToolOutcome } from "../../src/tools/tool.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import {
  calls,
  openTestHost,
  stateKinds,
  type TestHost,
  type TestHostOptions,
} from "../harness/test-host.ts";

const change = (value: string) => calls({ name: "probe", input: { value }, id: `c${value}` });
const twoTurns = { main: [change("1"), { text: "first done" }, change("2"), { text: "second done" }] };

/** Cancels the turn while its request of that number is answered. */
async function cancelAt(number: number, options: TestHostOptions = {}, how: "cancel" | "stop" = "cancel") {
  const probe = probeTool("probe");
  const host: TestHost = await openTestHost({
    agents: twoTurns,
    tools: [probe],
    ...options,
    onRequest: (_request, asked) => {
      if (asked === number) prepared[how]();
    },
  });
  const first = await host.run("one");
  const { sessionId } = first.transcript!;
  const before = await host.transcript(sessionId);
  const prepared = await host.runtime.prepare(host.facts, { sessionId });
  const report = await prepared.run("two");
  return { host, probe, sessionId, before, report };
}

describe.each(stateKinds)("a turn that is cancelled, with the state in %s", (state) => {
  // O40
  test("leaves the transcript as it was when it had done nothing", async () => {
    const { host, report, sessionId, before } = await cancelAt(3, { state });
    expect(report).toMatchObject({ outcome: "cancelled" });
    expect(await host.transcript(sessionId)).toEqual(before);
    expect(await host.state.store.head(sessionId)).toMatchObject({ runTurn: null, openCalls: [] });
    expect(host.events.data("run_finished").at(-1)).toMatchObject({
      status: "cancelled",
      rolled_back_to: before.length,
    });
  });

  // S25
  test("leaves a notice of what it had done, and the next turn reads it", async () => {
    const { host, probe, sessionId, before } = await cancelAt(4, { state });
    expect(probe.ran).toHaveLength(2);
    const after = await host.transcript(sessionId);
    const notice = "[A turn was cancelled after it had run: probe (done). Look before you rely on it.]";
    expect(after).toEqual([...before, { role: "user", content: notice }]);
    await host.run("three", { sessionId });
    expect(JSON.stringify(host.models.requests.at(-1)!.messages)).toContain("probe (done)");
  });

  // S25
  test("keeps the rows that a fork shares, and the fork goes on with them", async () => {
    const probe = probeTool("probe");
    let fork: { sessionId: string } | undefined;
    const host: TestHost = await openTestHost({
      state,
      agents: twoTurns,
      tools: [probe],
      async onRequest(_request, number) {
        if (number !== 4) return;
        const source = (await host.state.store.head(prepared.sessionId)).binding!.member;
        fork = await host.runtime.fork(
          source,
          { identity: "branch", role: "main", launchMode: "fresh" },
          { whileRunning: "settled" },
        );
        prepared.cancel();
      },
    });
    const { sessionId } = (await host.run("one")).transcript!;
    const prepared = await host.runtime.prepare(host.facts, { sessionId });
    expect(await prepared.run("two")).toMatchObject({ outcome: "cancelled" });
    const shared = await host.transcript(fork!.sessionId);
    expect(JSON.stringify(shared)).toContain('"value":"2"');
    expect(JSON.stringify(await host.transcript(sessionId))).not.toContain('"value":"2"');
    const { nextSeq, len } = await host.state.store.head(sessionId);
    expect(nextSeq).toBeGreaterThan(len);
    expect(await host.run(undefined, { sessionId: fork!.sessionId })).toMatchObject({
      outcome: "completed",
      text: "second done",
    });
  });

  test("keeps its usage in the session although its rows are gone", async () => {
    const usage = { inputTokens: 10, outputTokens: 1 };
    const agents = { main: [{ ...change("1"), usage }, { text: "never" }] };
    const host: TestHost = await openTestHost({
      state,
      agents,
      tools: [probeTool("probe")],
      onRequest: (_request, number) => {
        if (number === 2) prepared.cancel();
      },
    });
    const prepared = await host.runtime.prepare(host.facts);
    await prepared.run("one");
    const { usage: kept } = await host.state.store.head(prepared.sessionId);
    expect(kept.own).toMatchObject(usage);
  });
});

test("a turn that is stopped keeps its work, and the run says so", async () => {
  const { host, report, sessionId, before } = await cancelAt(4, {}, "stop");
  expect(report).toMatchObject({ outcome: "stopped", stoppedBy: "stop" });
  expect((await host.transcript(sessionId)).length).toBe(before.length + 3);
  expect(host.events.data("run_finished").at(-1)).toMatchObject({ status: "stopped", stopped_by: "stop" });
});

test("nothing starts once a turn is cancelled: not the call under judgement, not those behind it", async () => {
  const probe = probeTool("probe");
  const approver = new RecordingApprover(() => {
    prepared.cancel();
    return { decision: "allow" };
  });
  const both = calls({ name: "probe", input: {} }, { name: "probe", input: {} });
  const host = await openTestHost({ agents: { main: [both] }, tools: [probe], approver });
  const prepared = await host.runtime.prepare(host.facts);
  expect(await prepared.run("go")).toMatchObject({ outcome: "cancelled" });
  expect(probe.ran).toEqual([]);
  expect(await host.state.ledger.intentsOf(prepared.sessionId)).toEqual([]);
});

test("nothing starts when the cancel comes between the approval and the call", async () => {
  let derived = 0;
  const probe = probeTool("probe", {
    evidence: async () => {
      derived += 1;
      if (derived === 2) prepared.cancel();
      return {};
    },
  });
  const host = await openTestHost({
    agents: { main: [calls({ name: "probe", input: {} })] },
    tools: [probe],
  });
  const prepared = await host.runtime.prepare(host.facts);
  expect(await prepared.run("go")).toMatchObject({ outcome: "cancelled" });
  expect(probe.ran).toEqual([]);
  expect(await host.state.ledger.intentsOf(prepared.sessionId)).toEqual([]);
  expect(host.events.data("tool_started")).toEqual([]);
});

test("a tool that runs when its turn is stopped is waited for, and its outcome is told as unknown", async () => {
  let ended = false;
  const run = async (_: unknown, { signal }: ToolContext): Promise<ToolOutcome> => {
    prepared.stop();
    await new Promise<void>((resolve) => setTimeout(resolve, 20));
    ended = signal.aborted;
    return textOutcome("too late");
  };
  const host = await openTestHost({
    agents: { main: [calls({ name: "probe", input: {}, id: "c1" })] },
    tools: [probeTool("probe", { run })],
  });
  const prepared = await host.runtime.prepare(host.facts);
  expect(await prepared.run("go")).toMatchObject({ outcome: "stopped" });
  expect(ended).toBe(true);
  expect(JSON.stringify(await host.transcript(prepared.sessionId))).toContain("interrupted: outcome unknown");
});

test("a turn that waited for an approval and is cancelled rolls back to before its call, and the question is closed", async () => {
  const agents = { main: [change("1"), { text: "never" }] };
  const host: TestHost = await openTestHost({
    agents,
    tools: [probeTool("probe")],
    approver: new RecordingApprover({ decision: "park" }),
    interceptors: [
      {
        name: "canceller",
        intercept() {
          resumed?.cancel();
          return { decision: "allow" };
        },
      },
    ],
  });
  let resumed: Awaited<ReturnType<typeof host.runtime.prepare>> | undefined;
  const { sessionId } = (await host.run("go")).transcript!;
  resumed = await host.runtime.prepare(host.facts, { sessionId });
  expect(await resumed.run()).toMatchObject({ outcome: "cancelled" });
  expect(await host.transcript(sessionId)).toEqual([{ role: "user", content: "go" }]);
  expect(await host.state.store.head(sessionId)).toMatchObject({ openCalls: [], pendingApprovals: 0 });
  const [record] = await host.state.ledger.approvals.list({ sessionId });
  expect(record).toMatchObject({ state: "denied", resolution: { by: "cancel" } });
});

test("a signal that outlives its run keeps nothing of it", async () => {
  const controller = new AbortController();
  const host = await openTestHost({ agents: { main: [{ text: "done" }] } });
  const prepared = await host.runtime.prepare(host.facts, { signal: controller.signal });
  await prepared.run("go");
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});
