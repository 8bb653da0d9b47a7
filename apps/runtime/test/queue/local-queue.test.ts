import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { holdAt } from "../../src/queue/session-hold.ts";
import { openLocalQueue, type LocalQueueOptions } from "../../src/queue/local/local-queue.ts";
import type { TurnQueue } from "../../src/queue/turn-queue.ts";
import { openState, type HostState } from "../../src/store/open-state.ts";
import { newTurn, ProbeWorker } from "./support/probe-worker.ts";
import { turnQueueSuite } from "./support/queue-suite.ts";

/** Quick looks, so that nothing is waited for. */
const times = { sweepMs: 20, graceMs: 40 };
const never = new AbortController().signal;

describe("a queue in the files of one machine", () => {
  let directory: string;
  let state: HostState;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "basis-queue-"));
    state = await openState(directory);
  });
  afterEach(async () => {
    await state.close();
    rmSync(directory, { recursive: true });
  });
  /** Queues know each other by the file alone, as those of several processes do. */
  const open = (options: LocalQueueOptions = {}): Promise<TurnQueue> =>
    openLocalQueue(state.files!, { ...times, ...options });

  turnQueueSuite(open);

  it("is shared by processes: what one queues another runs, each turn by one worker", async () => {
    const [asking, one, other] = [await open(), await open(), await open()];
    const turns = Array.from({ length: 12 }, (_, at) => newTurn({ sessionId: `s${at % 4}` }));
    const workers = [
      new ProbeWorker({ concurrency: 2, endsItself: true }),
      new ProbeWorker({ endsItself: true }),
    ];
    const servings = [await one.serve(workers[0]!), await other.serve(workers[1]!)];
    for (const turn of turns) await asking.enqueue(turn);
    for (const { id } of turns) expect(await asking.ended(id, never)).toMatchObject({ state: "ended" });
    const began = workers.flatMap((worker) => worker.began);
    expect(began.toSorted()).toEqual(turns.map(({ id }) => id).toSorted());
    for (const serving of servings) await serving.drain(0);
  });

  it("gives on the turn of a worker that has died: by its session's lease, or at once where nobody holds that", async () => {
    const before = await open({ graceMs: 60_000 });
    const [held, expired, gone, slow] = [newTurn(), newTurn(), newTurn(), newTurn()];
    for (const turn of [held, expired, gone, slow]) await before.enqueue(turn);
    const dying = new ProbeWorker();
    Object.assign(dying, { name: `${hostname()}:${2 ** 30}:dead` });
    await before.serve(dying);
    await dying.until(() => dying.running.length === 4);
    const after = await open({ graceMs: 60_000 });
    const worker = new ProbeWorker({ endsItself: true });
    worker.holdOf = async (session) =>
      session === held.sessionId ? "held" : session === expired.sessionId ? "expired" : "free";
    const serving = await after.serve(worker);
    for (const { id } of [expired, gone, slow])
      expect(await after.ended(id, never)).toMatchObject({ state: "ended", worker: "probe" });
    expect(await after.get(held.id)).toMatchObject({ state: "running" });
    await serving.drain(0);
    // Whoever was taken from, and says so late, changes nothing.
    dying.end(gone.id, { outcome: "failed", reason: "too late" });
    dying.end(held.id);
    expect(await before.ended(held.id, never)).toMatchObject({ state: "ended" });
    expect(await before.get(gone.id)).toMatchObject({ state: "ended", outcome: "completed" });
    await before.close();
    await expect(before.enqueue(newTurn())).rejects.toThrow("the queue is closed");
  });

  it("gives on the turn of a process that is gone, however long its lease lasts by a clock that was set back", async () => {
    const before = await open({ graceMs: 60_000 });
    const turn = newTurn();
    await before.enqueue(turn);
    const dying = new ProbeWorker({ concurrency: 1 });
    Object.assign(dying, { name: `${hostname()}:${2 ** 30}:dead` });
    await before.serve(dying);
    await dying.until(() => dying.running.length === 1);
    const after = await open();
    const worker = new ProbeWorker({ endsItself: true });
    const serving = await after.serve(worker);
    expect(await after.ended(turn.id, never)).toMatchObject({ state: "ended", worker: "probe" });
    await serving.drain(0);
    dying.end(turn.id);
    await before.close();
  });

  it("leaves a turn that was just claimed to its claimer, whose session's lease ran out under the worker before", async () => {
    const [claiming, looking] = [await open(), await open({ graceMs: 60_000 })];
    const turn = newTurn();
    await claiming.enqueue(turn);
    const claimer = new ProbeWorker({ concurrency: 1 });
    await claiming.serve(claimer);
    await claimer.until(() => claimer.running.length === 1);
    const ranOut = Date.now();
    const worker = new ProbeWorker();
    const asked: (number | undefined)[] = [];
    let until = ranOut;
    worker.holdOf = async (_session, claimedAt) => {
      asked.push(claimedAt);
      return holdAt({ owner: "one", expiresAt: until, epoch: 1 }, { now: until + 1, marginMs: 0, claimedAt });
    };
    const serving = await looking.serve(worker);
    while (asked.length < 3) await new Promise((resolve) => setImmediate(resolve));
    expect(await looking.get(turn.id)).toMatchObject({ state: "running" });
    expect(worker.began).toEqual([]);
    // The claimer's own, which it renewed and lost since.
    until = Date.now() + 1;
    await worker.until(() => worker.began.length === 1);
    await serving.drain(0);
    await claiming.close();
  });

  it("forgets the oldest of what has ended, and nothing that is dead", async () => {
    const queue = await open();
    const dead = newTurn({ prompt: "dead" });
    await queue.enqueue(dead);
    const worker = new ProbeWorker({ concurrency: 8, endsItself: true });
    worker.run = async ({ turn }) => ({ outcome: turn.prompt === "dead" ? "failed" : "completed" });
    const turns = Array.from({ length: 260 }, () => newTurn());
    for (const turn of turns) await queue.enqueue(turn);
    const serving = await queue.serve(worker);
    await queue.ended(turns.at(-1)!.id, never);
    await serving.drain(1_000);
    expect(await queue.get(dead.id)).toMatchObject({ state: "dead" });
    expect(await queue.list({ states: ["ended"], limit: 1_000 })).toHaveLength(256);
    expect(await queue.get(turns[0]!.id)).toBeUndefined();
  });
});
