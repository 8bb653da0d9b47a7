import { expect, test } from "vitest";
import { HandBackError } from "../../src/agent/turn/run-end.ts";
import type { TurnClaim, TurnEnding } from "../../src/queue/turn-queue.ts";
import { TurnWorker } from "../../src/queue/turn-worker.ts";
import { openTestHost, type TestHost } from "../harness/test-host.ts";
import { fitOf, newTurn } from "./support/probe-worker.ts";

test("S24: a worker that is given its own running turn again goes on with it once it has let go of it", async () => {
  const ends: Promise<TurnEnding>[] = [];
  const host: TestHost = await openTestHost({
    agents: { main: [{ text: "done" }] },
    async onRequest(_request, number) {
      if (number > 1) return;
      // As after a freeze: the lease is gone, and the queue hands the turn out once more.
      for (const state of ["archived", "ready"] as const) await store.setState(sessionId, { state });
      ends.push(worker.run({ ...claim, standing: async () => "again" }));
      for (let step = 0; step < 100; step += 1) await new Promise((resolve) => setImmediate(resolve));
    },
  });
  const { runtime, facts: workspace, state } = host;
  const { store } = state;
  const { id: sessionId } = await store.createSession({ member: "main", role: "main" });
  const parts = { runtime, workspace, leaseMs: 15_000, report: () => undefined };
  const worker = new TurnWorker({ ...parts, name: "worker", concurrency: 2, fit: fitOf() });
  const { signal } = new AbortController();
  const claim: TurnClaim = { turn: newTurn({ sessionId }), signal, standing: async () => "first" };
  await expect(worker.run(claim)).rejects.toBeInstanceOf(HandBackError);
  expect(await Promise.all(ends)).toEqual([{ outcome: "completed" }]);
  expect(await host.transcript(sessionId)).toHaveLength(2);
});
