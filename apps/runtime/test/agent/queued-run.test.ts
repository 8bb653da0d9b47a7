import { manualClock } from "@basis/core/testing";
import { expect, test } from "vitest";
import { RunGivenAwayError, RunOverError, type QueuedRun } from "../../src/agent/turn/queued-run.ts";
import { storedEvents } from "../harness/stored-events.ts";
import { openTestHost, type TestHost } from "../harness/test-host.ts";

const queuedRun = (given: Partial<QueuedRun> = {}): QueuedRun => ({
  id: "run-1",
  from: 0,
  worker: "a worker",
  standing: async () => "again",
  ...given,
});

/** A session that nothing has happened in. */
async function emptySession({ state }: TestHost): Promise<string> {
  return (await state.store.createSession({ member: "m", role: "main" })).id;
}

const HOUR_MS = 3_600_000;

test.each([HOUR_MS, -HOUR_MS])(
  "a run that has ended is not run again, by a machine whose clock differs by %i ms either",
  async (difference) => {
    const ahead = manualClock();
    ahead.advance(2 * HOUR_MS);
    const there = manualClock();
    there.advance(2 * HOUR_MS + difference);
    const agents = { main: [{ text: "done" }, { text: "and more" }] };
    const first = await openTestHost({ state: "sqlite", agents, clock: ahead });
    const sessionId = await emptySession(first);
    const report = await first.run("go", { sessionId, queued: queuedRun() });
    expect(report).toMatchObject({ outcome: "completed", runId: "run-1" });
    await first.close();
    const second = await openTestHost({ state: "sqlite", agents, clock: there, after: first });
    await expect(second.run("go", { sessionId, queued: queuedRun() })).rejects.toBeInstanceOf(RunOverError);
    expect(await second.transcript(sessionId)).toHaveLength(2);
    const next = await second.run("more", { sessionId, queued: queuedRun({ id: "run-2", from: 2 }) });
    expect(next).toMatchObject({ outcome: "completed", runId: "run-2" });
  },
);

test("a run whose start alone was told gets its prompt, one start and a word on the worker that is gone", async () => {
  const host = await openTestHost({ state: "sqlite", agents: { main: [{ text: "done" }] } });
  const sessionId = await emptySession(host);
  const scope = { session: sessionId, run: "run-1" };
  const started = { schema: 1, agent: "main", model: { provider: "scripted", id: "main" } } as const;
  const told = { version: "1", workspace: "/", context_files: [], agents: [], mcp_servers: [] };
  host.state.events.emit(scope, "run_started", { ...started, ...told });
  await host.state.events.flush();
  const report = await host.run("go", { sessionId, queued: queuedRun() });
  expect(report).toMatchObject({ outcome: "completed" });
  const events = await storedEvents(host.state, sessionId);
  expect(events.filter(({ type }) => type === "run_started")).toHaveLength(1);
  expect(events.filter(({ type }) => type === "user_message")).toHaveLength(1);
  expect(JSON.stringify(events)).toContain('"code":"taken_over"');
  expect(await host.transcript(sessionId)).toHaveLength(2);
});

test("a run that the queue has given away writes nothing", async () => {
  const host = await openTestHost({ agents: { main: [{ text: "never asked" }] } });
  const sessionId = await emptySession(host);
  const given = host.run("go", { sessionId, queued: queuedRun({ standing: async () => "lost" }) });
  await expect(given).rejects.toBeInstanceOf(RunGivenAwayError);
  expect(await host.transcript(sessionId)).toHaveLength(0);
  expect((await host.state.store.head(sessionId)).lease.owner).toBeNull();
});
