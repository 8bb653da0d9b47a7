import { hostname } from "node:os";
import { isSessionError, SessionError, type LeaseRequest } from "@mobkit/session";
import { manualClock } from "@basis/core/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { acquireLease } from "../../src/agent/transcript/acquire-lease.ts";
import { LeaseLostError } from "../../src/agent/transcript/lease-keeper.ts";
import { SessionWriter } from "../../src/agent/transcript/session-writer.ts";
import type { HostStore } from "../../src/store/host-store.ts";
import { probeTool, readProbe } from "../harness/probe-tool.ts";
import { calls, openTestHost, type TestHost } from "../harness/test-host.ts";

const agents = { main: [calls({ name: "probe", input: {} }), { text: "done" }] };
const GONE = 4_194_305;

test("a session that another writer holds refuses the run before anything is told or written", async () => {
  const host = await openTestHost({ agents, tools: [probeTool("probe")] });
  const { sessionId } = await host.runtime.prepare(host.facts);
  await host.state.store.acquireLease(sessionId, { owner: "elsewhere:1:x", ttlMs: 60_000 });
  await expect(host.run("go", { sessionId })).rejects.toSatisfy((error) =>
    isSessionError(error, "lease_held"),
  );
  expect(host.events.all).toEqual([]);
  expect(host.models.requests).toEqual([]);
});

test("two runs of one process do not write to one session", async () => {
  const refusals: unknown[] = [];
  const host: TestHost = await openTestHost({
    agents,
    tools: [probeTool("probe")],
    onRequest: async (_request, number) => {
      if (number > 1) return;
      refusals.push(await host.run("too", { sessionId }).catch((error: unknown) => error));
    },
  });
  const prepared = await host.runtime.prepare(host.facts);
  const { sessionId } = prepared;
  expect(await prepared.run("go")).toMatchObject({ outcome: "completed" });
  expect(refusals).toMatchObject([{ code: "lease_held" }]);
});

test("the lease of a process that is gone is waited for, and the run begins with its own first event", async () => {
  const clock = manualClock();
  const host = await openTestHost({ agents, tools: [probeTool("probe")], clock });
  const { sessionId } = await host.runtime.prepare(host.facts);
  await host.state.store.acquireLease(sessionId, { owner: `${hostname()}:${GONE}:x`, ttlMs: 10_000 });
  const run = host.run("go", { sessionId });
  const ring = setInterval(() => clock.advance(5000), 1);
  expect(await run).toMatchObject({ outcome: "completed" });
  clearInterval(ring);
  expect(host.events.types().slice(0, 2)).toEqual(["notice", "run_started"]);
  expect(host.events.all[0]!.run).toBeUndefined();
});

test("a lease that a clock which was set back has made last is waited for no longer than any", async () => {
  const clock = manualClock();
  const host = await openTestHost({ agents, tools: [probeTool("probe")], clock });
  const { sessionId } = await host.runtime.prepare(host.facts);
  const before = clock.now();
  await host.state.store.acquireLease(sessionId, { owner: `${hostname()}:${GONE}:x`, ttlMs: 3_600_000 });
  const run = host.run("go", { sessionId });
  const ring = setInterval(() => clock.advance(5000), 1);
  expect(await run).toMatchObject({ outcome: "completed" });
  clearInterval(ring);
  expect(clock.now() - before).toBeLessThan(3_600_000);
});

test("a lease that somebody else takes ends the run: nothing of it is written afterwards", async () => {
  const clock = manualClock();
  const probe = probeTool("probe");
  const host: TestHost = await openTestHost({
    agents,
    tools: [probe],
    clock,
    async onRequest() {
      const { lease } = await host.state.store.head(prepared.sessionId);
      expect(lease.owner).toMatch(new RegExp(`^${hostname()}:${process.pid}:`));
      await host.state.store.setState(prepared.sessionId, { state: "archived" });
      await host.state.store.setState(prepared.sessionId, { state: "ready" });
    },
  });
  const prepared = await host.runtime.prepare(host.facts);
  const report = await prepared.run("go");
  expect(report).toMatchObject({ outcome: "failed", failure: { name: "LeaseLostError" } });
  expect(probe.ran).toEqual([]);
  expect(await host.transcript(prepared.sessionId)).toEqual([{ role: "user", content: "go" }]);
  expect(host.events.data("run_finished")).toMatchObject([{ status: "failed" }]);
});

// S24; what confirming is, the keeper's own tests say.
test.each([
  ["begins none without its lease", probeTool("probe"), 0],
  ["reads without asking for it", readProbe("probe"), 1],
])("a process that wakes between a call's intent and its effect %s", async (_what, probe, runs) => {
  probe.ran.length = 0;
  const confirm = vi.spyOn(SessionWriter.prototype, "confirm").mockImplementation(() => {
    throw new LeaseLostError("s", "run out");
  });
  onTestFinished(() => confirm.mockRestore());
  const host = await openTestHost({ agents, tools: [probe] });
  await host.run("go");
  expect(probe.ran).toHaveLength(runs);
  expect(host.events.data("tool_started")).toHaveLength(runs);
  expect(confirm).toHaveBeenCalledTimes(1 - runs);
});

test("a lease is renewed while a run lasts, and let go of with it", async () => {
  const clock = manualClock();
  const host = await openTestHost({ clock });
  const { sessionId } = await host.runtime.prepare(host.facts);
  const writer = await SessionWriter.open(host.state.store, sessionId, { clock });
  const expiry = async (): Promise<number | null> => (await host.state.store.head(sessionId)).lease.expiresAt;
  const before = await expiry();
  for (let step = 0; step < 10; step += 1) {
    clock.advance(2500);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  expect((await expiry())! - before!).toBeGreaterThan(20_000);
  await writer.close();
  expect((await host.state.store.head(sessionId)).lease.owner).toBeNull();
  clock.advance(60_000);
  expect(writer.lost).toBe(false);
});

test("a machine whose clock is an hour behind waits for no longer than a lease", async () => {
  const clock = manualClock();
  const asked: number[] = [];
  const acquire = async (sessionId: string, { owner, ttlMs }: LeaseRequest) => {
    asked.push(clock.monotonicMs());
    const expiresAt = clock.now() + 3_600_000;
    if (asked.length > 1) return { sessionId, owner, epoch: 2, expiresAt, ttlMs };
    const details = { sessionId, owner: `${hostname()}:${GONE}:x`, expiresAt };
    throw new SessionError("lease_held", "it is held", { details });
  };
  const store = { acquireLease: acquire } as unknown as HostStore;
  const waiting = new Promise<void>((told) => {
    const taken = acquireLease(store, "s", { clock, leaseMs: 10_000, waiting: () => told() });
    void Promise.resolve(taken).then(() => asked.push(-1));
  });
  await waiting;
  clock.advance(10_250);
  await vi.waitFor(() => expect(asked).toEqual([0, 10_250, -1]));
});
