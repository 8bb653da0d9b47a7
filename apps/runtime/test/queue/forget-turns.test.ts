import { afterEach, expect, test } from "vitest";
import { removeSession } from "../../src/host/session-removal.ts";
import { forgetEndedTurnsOf, forgetOrphanTurns } from "../../src/queue/forget-turns.ts";
import { openQueue } from "../../src/queue/open-queue.ts";
import type { TurnQueue } from "../../src/queue/turn-queue.ts";
import { keptKind, openTestHost, type TestHost } from "../harness/test-host.ts";
import { systemClock } from "@basis/core";
import { newTurn, ProbeWorker } from "./support/probe-worker.ts";

const { signal } = new AbortController();

let queue: TurnQueue | undefined;
afterEach(async () => {
  await queue?.close();
  queue = undefined;
});

interface Place {
  readonly host: TestHost;
  readonly turns: TurnQueue;
  begin(member: string): Promise<string>;
  remove(sessionId: string): Promise<void>;
}

async function openPlace(): Promise<Place> {
  const host = await openTestHost({ state: keptKind });
  const turns = (queue = await openQueue(host.state));
  const { store } = host.state;
  const { forks } = host.runtime;
  return {
    host,
    turns,
    begin: async (member) => (await store.createSession({ member, role: "main" })).id,
    async remove(sessionId) {
      const ports = { ...host.state, forks, clock: systemClock, signal };
      expect(await removeSession(ports as never, await store.head(sessionId))).toBe(true);
    },
  };
}

test("turns of sessions that are gone leave the queue: those that wait, and those that are over; others stay", async () => {
  const { host, turns, begin, remove } = await openPlace();
  const [gone, there] = [await begin("gone"), await begin("there")];
  const [waiting, over, claimed] = [gone, gone, gone].map((sessionId) => newTurn({ sessionId }));
  const [kept, unmade] = [newTurn({ sessionId: there }), newTurn({ sessionId: "no such session" })];
  await turns.enqueue(over!);
  await turns.cancel(over!.id);
  await turns.enqueue(claimed!);
  const worker = new ProbeWorker({ concurrency: 1 });
  const serving = await turns.serve(worker);
  await worker.until(() => worker.running.length === 1);
  for (const turn of [waiting!, kept, unmade]) await turns.enqueue(turn);
  const known = async (): Promise<ReadonlySet<string>> =>
    new Set([...(await turns.idsBySession()).values()].flat());

  await forgetOrphanTurns(host.state, [there]);
  expect((await known()).has(kept.id)).toBe(false);
  await turns.enqueue(kept);
  await remove(gone);
  await forgetOrphanTurns(host.state);
  expect(await known()).toEqual(new Set([claimed!.id, kept.id]));
  expect(await turns.get(kept.id)).toMatchObject({ state: "waiting" });
  worker.end(claimed!.id);
  await turns.ended(claimed!.id, signal);
  await forgetOrphanTurns(host.state);
  expect((await known()).has(claimed!.id)).toBe(false);
  await serving.drain(0);
});

test("of a session that stays the turns that are over are forgotten, and none that waits", async () => {
  const { host, turns, begin } = await openPlace();
  const sessionId = await begin("there");
  const [over, waiting] = [newTurn({ sessionId }), newTurn({ sessionId })];
  for (const turn of [over, waiting]) await turns.enqueue(turn);
  await turns.cancel(over.id);
  await forgetEndedTurnsOf(host.state, sessionId);
  expect([...(await turns.idsBySession())]).toEqual([[sessionId, [waiting.id]]]);
});
