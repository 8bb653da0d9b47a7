import { manualClock } from "@basis/core/testing";
import { describe, expect, test } from "vitest";
import { RunGivenAwayError, RunOverError, type QueuedRun } from "../../src/agent/turn/queued-run.ts";
import { storedEvents } from "../harness/stored-events.ts";
import { readRunAccount } from "../../src/runs/run-account.ts";
import type { RunFinished } from "../../src/runs/run-watch.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, type TestHost, type TestHostOptions } from "../harness/test-host.ts";

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

describe("a run whose end was written to the transcript, and lost with its worker before it was told", () => {
  /** Takes from a log what its run told behind its prompt. */
  async function loseEnd({ state: { events } }: TestHost, sessionId: string): Promise<void> {
    const told = await storedEvents({ events }, sessionId);
    const prompt = told.findLastIndex(({ type }) => type === "user_message");
    await events.forget([sessionId]);
    await events.take(told.slice(0, prompt + 1));
  }

  async function afterLoss(
    options: TestHostOptions,
  ): Promise<{ readonly host: TestHost; readonly sessionId: string }> {
    const first = await openTestHost({ state: "sqlite", ...options });
    const sessionId = await emptySession(first);
    await first.run("go", { sessionId, queued: queuedRun() }).catch(() => undefined);
    await first.close();
    const host = await openTestHost({ state: "sqlite", ...options, after: first });
    await loseEnd(host, sessionId);
    return { host, sessionId };
  }

  test("is told by the next worker, with its answer, and its model is not asked again", async () => {
    const agents = { main: [{ text: "done" }] };
    const { host, sessionId } = await afterLoss({ agents });
    expect(await host.run("go", { sessionId, queued: queuedRun() })).toMatchObject({ outcome: "completed" });
    const events = await storedEvents(host.state, sessionId);
    const end = events.at(-1)!;
    expect(end).toMatchObject({ type: "run_finished", run: "run-1", data: { status: "completed" } });
    expect(await readRunAccount(host.state.events.read(sessionId), end as RunFinished)).toMatchObject({
      text: "done",
    });
    expect(host.models.requests).toEqual([]);
  });

  test("waits where it waited", async () => {
    const options = {
      agents: { main: [calls({ name: "probe", input: {} })] },
      tools: [probeTool("probe")],
      approver: new RecordingApprover({ decision: "park" }),
    };
    const { host, sessionId } = await afterLoss(options);
    expect(await host.run("go", { sessionId, queued: queuedRun() })).toMatchObject({ outcome: "parked" });
    const events = await storedEvents(host.state, sessionId);
    expect(events.at(-1)).toMatchObject({ type: "run_finished", data: { status: "parked" } });
  });

  test("has its start told, if that was lost as well", async () => {
    const { host, sessionId } = await afterLoss({ agents: { main: [{ text: "done" }] } });
    await host.state.events.forget([sessionId]);
    expect(await host.run("go", { sessionId, queued: queuedRun() })).toMatchObject({ outcome: "completed" });
    const events = await storedEvents(host.state, sessionId);
    expect(events.map(({ type }) => type)).toEqual([
      "run_started",
      "user_message",
      "assistant_message",
      "notice",
      "run_finished",
    ]);
  });

  test("is over when the session has gone on since, and that is told", async () => {
    const agents = { main: [{ text: "done" }, { text: "and more" }] };
    const { host, sessionId } = await afterLoss({ agents });
    await host.run("more", { sessionId });
    await expect(host.run("go", { sessionId, queued: queuedRun() })).rejects.toBeInstanceOf(RunOverError);
    await host.state.events.flush();
    const own = (await storedEvents(host.state, sessionId)).filter(({ run }) => run === "run-1");
    expect(own.map(({ type }) => type)).toEqual([
      "run_started",
      "user_message",
      "assistant_message",
      "run_finished",
    ]);
    expect(await host.transcript(sessionId)).toHaveLength(4);
  });
});

test("a run that the queue has given away writes nothing", async () => {
  const host = await openTestHost({ agents: { main: [{ text: "never asked" }] } });
  const sessionId = await emptySession(host);
  const given = host.run("go", { sessionId, queued: queuedRun({ standing: async () => "lost" }) });
  await expect(given).rejects.toBeInstanceOf(RunGivenAwayError);
  expect(await host.transcript(sessionId)).toHaveLength(0);
  expect((await host.state.store.head(sessionId)).lease.owner).toBeNull();
});
