import { manualClock } from "@basis/core/testing";
import { expect, test } from "vitest";
import { openEngineQueue } from "../../src/queue/engine/engine-queue.ts";
import type { ClaimStanding, QueueWorker } from "../../src/queue/turn-queue.ts";
import { TurnWorker } from "../../src/queue/turn-worker.ts";
import { databaseProxy } from "../harness/database-proxy.ts";
import { databaseOf } from "../harness/database-state.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { fitOf, newTurn } from "../queue/support/probe-worker.ts";
import { calls, openTestHost, type TestHost, type TestHostOptions } from "../harness/test-host.ts";

/** Rows of more than a page, so that a turn which read its whole session would be seen. */
const TURNS = 12;

/** A turn of two rounds, with a call between them. */
const TURN_WITH_CALL = TURNS;

/** The connection for notices is made before anything is counted. */
function untilListening({ state: { changes } }: TestHost): Promise<void> {
  return new Promise((resolve) => {
    const silence = changes.listen(() => {
      silence();
      resolve();
    });
  });
}

test("a turn costs six round trips; one with a call that changes something sixteen; the first one of a session in a process fourteen", async () => {
  const proxy = await databaseProxy(databaseOf("").url);
  const says = (text: string) => ({ text });
  const turns = Array.from({ length: TURNS }, (_, at) => says(`${at}`));
  const call = calls({ name: "probe", input: {} });
  const agents = {
    main: [
      [{ when: { contains: "warm" }, text: "warm" }, turns[0]!],
      ...turns.slice(1),
      call,
      says("called"),
      says("cold"),
    ],
  };
  let current: TestHost;
  const options: TestHostOptions = {
    state: "postgres",
    // A batch of events is what was told before a model was asked, and what was told when the run ended.
    database: { url: proxy.url, limits: { maxConnections: 2 }, gatherMs: 60_000, nearMs: 60_000 },
    clock: manualClock(), // no look that only time asks for
    onRequest: async () => void (await current.state.events.flush()),
    agents,
    tools: [probeTool("probe")],
  };
  const costOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = proxy.roundTrips;
    await work();
    return proxy.roundTrips - before;
  };
  current = await openTestHost(options);
  await untilListening(current);
  const { sessionId } = (await current.run("begin")).transcript!;
  const costs: number[] = [];
  for (let turn = 1; turn <= TURN_WITH_CALL; turn += 1)
    costs.push(await costOf(() => current.run("more", { sessionId })));
  expect(costs.slice(0, -1)).toEqual(Array.from({ length: TURNS - 1 }, () => 6));
  expect(costs.at(-1)).toBe(16);
  const first = current;
  await first.close();
  current = await openTestHost({ ...options, after: first });
  await untilListening(current);
  await current.run("warm");
  expect(await costOf(() => current.run("more", { sessionId }))).toBe(14);
});

test("a queued turn costs six round trips as well, and one question to the queue; one that was put back seven", async () => {
  const proxy = await databaseProxy(databaseOf("").url);
  const says = (text: string) => ({ text });
  let current: TestHost;
  current = await openTestHost({
    state: "postgres",
    database: { url: proxy.url, limits: { maxConnections: 2 }, gatherMs: 60_000, nearMs: 60_000 },
    clock: manualClock(),
    onRequest: async () => void (await current.state.events.flush()),
    agents: { main: ["begun", "one", "two", "three", "four"].map(says) },
  });
  await untilListening(current);
  const { sessionId } = (await current.run("begin")).transcript!;
  const { runtime, facts: workspace, state } = current;
  const parts = { name: "worker", concurrency: 1, fit: fitOf(), leaseMs: 15_000, report: () => undefined };
  const worker = new TurnWorker({ runtime, workspace, ...parts });
  const costs: (readonly [trips: number, standings: readonly ClaimStanding[]])[] = [];
  const counting: QueueWorker = {
    ...parts,
    holdOf: (...asked) => worker.holdOf(...asked),
    misfit: (...told) => worker.misfit(...told),
    async run(claim) {
      const standings: ClaimStanding[] = [];
      const standing = async (): Promise<ClaimStanding> => {
        const stands = await claim.standing();
        standings.push(stands);
        return stands;
      };
      const before = proxy.roundTrips;
      const ending = await worker.run({ ...claim, standing });
      costs.push([proxy.roundTrips - before, standings]);
      return ending;
    },
  };
  // What the engine asks by itself goes another way.
  const engine = await databaseProxy(databaseOf("").url);
  const { schema } = databaseOf("turn-cost queue");
  const queue = await openEngineQueue({ url: engine.url, schema, sweepMs: 600_000, graceMs: 600_000 });
  const serving = await queue.serve(counting);
  const { signal } = new AbortController();
  for (let at = 0; at < 3; at += 1) {
    const turn = newTurn({ sessionId, from: (await state.store.head(sessionId)).len });
    await queue.enqueue(turn);
    expect(await queue.ended(turn.id, signal)).toMatchObject({ state: "ended" });
  }
  expect(costs).toEqual([
    [6, ["first"]],
    [6, ["first"]],
    [6, ["first"]],
  ]);
  await serving.drain(0);
  await queue.close();
  const turn = newTurn({ sessionId, from: (await state.store.head(sessionId)).len });
  await counting.run({ turn, signal, standing: async () => "again" });
  expect(costs.at(-1)).toEqual([7, ["again"]]);
});
