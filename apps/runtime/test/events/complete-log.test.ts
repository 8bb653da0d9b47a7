import { loadDriver } from "@mobkit/session-sqlite";
import { describe, expect, test } from "vitest";
import { memoryEventLog } from "../../src/events/memory-event-log.ts";
import type { EventRange } from "../../src/events/event-log.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { calls, openTestHost, stateKinds, type StateKind, type TestHost } from "../harness/test-host.ts";
import { allOf, storedEvents } from "../harness/stored-events.ts";

const change = (id: string) => calls({ name: "probe", input: { value: id }, id });
const agents = {
  main: [
    { ...change("1"), text: "I change it." },
    { text: "done" },
    change("2"),
    { text: "again" },
    { text: "last" },
  ],
};

/** What a log says about rows, without numbers and times. */
async function told(events: EventRange): Promise<readonly unknown[]> {
  return (await allOf(events)).flatMap(({ type, run, data }) =>
    "message_id" in data
      ? [{ type, run, ...data, ...("finish_reason" in data && { finish_reason: "" }) }]
      : [],
  );
}

/** Runs a turn, loses all but the first `kept` events of its log with the power, and opens the state again. */
async function loseEvents(kept: number) {
  const first = await openTestHost({ state: "sqlite", agents, tools: [probeTool("probe")] });
  const { sessionId } = (await first.run("go")).transcript!;
  const before = await told(first.state.events.read(sessionId));
  await first.close();
  const database = (await loadDriver()).open(`${first.dataDir}/events.db`);
  database.exec(`DELETE FROM event WHERE seq > ${kept}`);
  database.close();
  const next = await openTestHost({ state: "sqlite", after: first, agents, tools: [probeTool("probe")] });
  return { next, sessionId, before };
}

// D20
describe("a log whose end was lost", () => {
  test.each([0, 1, 2, 4, 5, 9, 10, 12])(
    "is completed from the transcript by the next run, after its start and before all else: %d events kept",
    async (kept) => {
      const { next, sessionId, before } = await loseEvents(kept);
      const report = await next.run("more", { sessionId });
      const log = await storedEvents(next.state, sessionId);
      expect((await told(log)).slice(0, before.length)).toEqual(before);
      const start = log.findIndex(({ run }) => run === report.runId);
      expect(start).toBe(kept);
      expect(log[start]!.type).toBe("run_started");
      const own = log.slice(start + 1).findIndex(({ run }) => run === report.runId);
      const lacking = before.length - (await told(log.slice(0, start))).length;
      expect(log.slice(start + 1, start + 1 + own).map(({ type }) => type)).toHaveLength(lacking);
    },
  );

  test("gets nothing when it lacks nothing", async () => {
    const { next, sessionId, before } = await loseEvents(1000);
    const report = await next.run("more", { sessionId });
    const log = await storedEvents(next.state, sessionId);
    const rest = log.slice(log.findIndex(({ run }) => run === report.runId));
    expect(new Set(rest.map(({ run }) => run))).toEqual(new Set([report.runId]));
    expect((await told(log)).slice(0, before.length)).toEqual(before);
  });
});

test("the end of a run that died with its process is told as a failure with an unknown account", async () => {
  const host = await openTestHost({ agents: { main: [{ text: "unused" }, { text: "after" }] } });
  const { store } = host.state;
  const { id: sessionId } = await store.createSession({ member: "main", role: "main" });
  const lease = await store.acquireLease(sessionId, { owner: "gone", ttlMs: 1000 });
  await store.append(sessionId, {
    lease,
    expectedRev: 0,
    runTurn: "run-gone",
    turnId: "run-gone",
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: "half" },
    ],
  });
  await store.releaseLease(lease);
  await host.run("more", { sessionId });
  await host.run("more", { sessionId });
  const gone = host.events.of(sessionId).filter(({ run }) => run === "run-gone");
  expect(gone.map(({ type }) => type)).toEqual(["user_message", "assistant_message", "run_finished"]);
  expect(gone.at(-1)!.data).toMatchObject({ status: "failed", usage: { complete: false } });
});

describe.each(stateKinds)(
  "rows whose places were used again after a cancel, with the state in %s",
  (state: StateKind) => {
    test("are each told once", async () => {
      const host: TestHost = await openTestHost({
        state,
        agents: { main: [change("1"), { text: "one" }, change("2"), { text: "two" }, { text: "three" }] },
        tools: [probeTool("probe")],
        onRequest: (_request, number) => {
          if (number === 4) prepared.cancel();
        },
      });
      const { sessionId } = (await host.run("first")).transcript!;
      const prepared = await host.runtime.prepare(host.facts, { sessionId });
      await prepared.run("second");
      await host.run("third", { sessionId });
      const ids = (await told(host.state.events.read(sessionId))).map(
        (each) => (each as { message_id: string }).message_id,
      );
      expect(new Set(ids).size).toBe(ids.length);
    });
  },
);

test("a fork's log begins with what the fork itself wrote", async () => {
  const host = await openTestHost({
    agents: { main: [{ text: "one" }, [{ when: { session: "branch" }, text: "two" }]] },
  });
  const { sessionId } = (await host.run("go", { member: "trunk" })).transcript!;
  const fork = await host.runtime.fork("trunk", { identity: "branch", role: "main", launchMode: "fresh" });
  await host.run("more", { sessionId: fork.sessionId });
  const rows = await told(host.state.events.read(fork.sessionId));
  expect(rows.map((each) => (each as { row: number }).row)).toEqual([2, 3]);
  expect(await told(host.state.events.read(sessionId))).toHaveLength(2);
});

test("events are read back from the newest", () => {
  const log = memoryEventLog();
  const event = (text: string) =>
    ({ v: 1, ts: "2026-01-01T00:00:00.000Z", session: "s", type: "notice", data: { text } }) as const;
  log.append([event("1"), event("2")]);
  expect([...log.readBack("s")].map(({ seq }) => seq)).toEqual([2, 1]);
});
