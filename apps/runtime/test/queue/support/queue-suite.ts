import { afterEach, describe, expect, it } from "vitest";
import { HandBackError } from "../../../src/agent/turn/run-end.ts";
import type { ClaimStanding, Serving, TurnQueue } from "../../../src/queue/turn-queue.ts";
import { fitOf, newTurn, ProbeWorker } from "./probe-worker.ts";

/** Opens an empty queue. */
export type OpenQueue = (options: { readonly maxWaiting?: number }) => Promise<TurnQueue>;

const never = new AbortController().signal;

/** What every queue of turns keeps to, whatever it is made of (runtime.md 7). */
export function turnQueueSuite(open: OpenQueue): void {
  let queue: TurnQueue | undefined;
  let serving: Serving | undefined;
  const opened = async (options: { readonly maxWaiting?: number } = {}): Promise<TurnQueue> =>
    (queue = await open(options));
  const served = async (worker: ProbeWorker): Promise<ProbeWorker> => {
    serving = await queue!.serve(worker);
    return worker;
  };
  const drained = async (ms = 0): Promise<readonly string[]> => {
    const left = (await serving?.drain(ms)) ?? [];
    serving = undefined;
    return left;
  };
  afterEach(async () => {
    await drained();
    await queue?.close();
    queue = undefined;
  });

  describe("enqueue", () => {
    it("runs a turn and tells how it ended; one that failed is dead with its reason, and is dropped", async () => {
      const turns = await opened();
      const [good, bad, thrown] = [newTurn(), newTurn(), newTurn()];
      expect(await turns.enqueue(good)).toMatchObject({ id: good.id, state: "waiting", prompt: "go" });
      await turns.enqueue(bad);
      await turns.enqueue(thrown);
      await expect(turns.drop(bad.id)).rejects.toThrow("is waiting; only one that is over");
      const worker = await served(new ProbeWorker());
      await worker.until(() => worker.running.length === 3);
      expect(await turns.get(good.id)).toMatchObject({ state: "running", worker: "probe" });
      worker.end(good.id);
      worker.end(bad.id, { outcome: "failed", reason: "no model answered" });
      worker.end(thrown.id, new Error("the session is gone"));
      expect(await turns.ended(good.id, never)).toMatchObject({ state: "ended", outcome: "completed" });
      expect(await turns.ended(bad.id, never)).toMatchObject({ state: "dead", reason: "no model answered" });
      expect(await turns.ended(thrown.id, never)).toMatchObject({
        state: "dead",
        reason: "the session is gone",
      });
      expect((await turns.list({ states: ["dead"] })).map(({ id }) => id)).toEqual([bad.id, thrown.id]);
      expect((await turns.idsBySession()).get(good.sessionId)).toEqual([good.id]);
      expect((await turns.list({ offset: 2 })).map(({ id }) => id)).toEqual([thrown.id]);
      // However many ended before.
      expect((await turns.list({ states: ["waiting", "running", "dead"], limit: 1 }))[0]).toMatchObject(bad);
      expect(await turns.counts()).toEqual([{ realm: "default", waiting: 0, running: 0, dead: 2 }]);
      await turns.drop(bad.id);
      expect(await turns.get(bad.id)).toBeUndefined();
      await expect(turns.drop(bad.id)).rejects.toThrow("knows no turn");
    });

    it("tells whoever claims a turn whether anybody had it before", async () => {
      const turns = await opened();
      const turn = newTurn();
      await turns.enqueue(turn);
      const standings: ClaimStanding[] = [];
      const worker = new ProbeWorker();
      worker.run = async ({ standing, signal }) => {
        standings.push(await standing());
        if (standings.length > 1) return { outcome: "completed" };
        return new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason as Error)),
        );
      };
      await served(worker);
      while (standings.length === 0) await new Promise((resolve) => setImmediate(resolve));
      expect(await drained()).toEqual([turn.id]);
      await served(worker);
      expect(await turns.ended(turn.id, never)).toMatchObject({ state: "ended" });
      expect(standings).toEqual(["first", "again"]);
    });

    it("S27: answers the same turn to the same id and content, and refuses another content", async () => {
      const turns = await opened();
      const turn = newTurn();
      const [first, second] = await Promise.all([turns.enqueue(turn), turns.enqueue(turn)]);
      expect(second).toEqual(first);
      await expect(turns.enqueue({ ...turn, prompt: "another" })).rejects.toThrow("mint a new one");
      expect(await turns.counts()).toEqual([{ realm: "default", waiting: 1, running: 0, dead: 0 }]);
      const worker = await served(new ProbeWorker({ endsItself: true }));
      expect(await turns.ended(turn.id, never)).toMatchObject({ state: "ended" });
      expect(await turns.enqueue(turn)).toMatchObject({ state: "ended" });
      expect(worker.began).toEqual([turn.id]);
    });

    it("S27: answers the same turn to all who queue it at the same moment", async () => {
      const turns = await opened();
      // Two inserts meet at an index once in some hundred times.
      for (let round = 0; round < 100; round += 1) {
        const turn = newTurn();
        const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => turns.enqueue(turn)));
        for (const other of others) expect(other).toEqual(first);
      }
      expect(await turns.counts()).toEqual([{ realm: "default", waiting: 100, running: 0, dead: 0 }]);
    });

    it("refuses what is no turn, and more than a realm may have waiting", async () => {
      const turns = await opened({ maxWaiting: 2 });
      await expect(turns.enqueue(newTurn({ realm: "no realm" }))).rejects.toThrow("no name of a realm");
      await turns.enqueue(newTurn());
      await turns.enqueue(newTurn());
      await expect(turns.enqueue(newTurn())).rejects.toMatchObject({
        code: "queue_full",
        details: { realm: "default", waiting: 2, maxWaiting: 2 },
      });
      expect(await turns.enqueue(newTurn({ realm: "other" }))).toMatchObject({ state: "waiting" });
    });
  });

  describe("the order of turns", () => {
    it("is one at a time in a session, and as many sessions at once as the worker has room for", async () => {
      const turns = await opened();
      const [a1, a2] = [newTurn({ sessionId: "a" }), newTurn({ sessionId: "a" })];
      const [b, c] = [newTurn({ sessionId: "b" }), newTurn({ sessionId: "c" })];
      for (const turn of [a1, a2, b, c]) await turns.enqueue(turn);
      const worker = await served(new ProbeWorker({ concurrency: 2 }));
      await worker.until(() => worker.running.length === 2);
      await worker.until(() => {
        for (const id of worker.running) if (id !== a1.id) worker.end(id);
        return [a1, b, c].every(({ id }) => worker.began.includes(id));
      });
      expect(worker.began).not.toContain(a2.id);
      worker.end(a1.id);
      await worker.until(() => worker.running.includes(a2.id));
      expect(worker.most).toBe(2);
    });

    it("lets no session and no realm keep others waiting", async () => {
      const turns = await opened();
      const busy = Array.from({ length: 20 }, () => newTurn({ sessionId: "busy" }));
      const [late, other] = [newTurn({ sessionId: "late" }), newTurn({ realm: "other" })];
      for (const turn of [...busy, late, other]) await turns.enqueue(turn);
      const worker = await served(new ProbeWorker({ concurrency: 1, endsItself: true }));
      await worker.until(() => [late, other].every(({ id }) => worker.began.includes(id)));
      expect(worker.began).not.toContain(busy.at(-1)!.id);
      expect(worker.most).toBe(1);
    });

    it("keeps a realm to its limit, and the other realms running", async () => {
      const turns = await opened();
      await turns.limitRealm("small", 1);
      const small = [newTurn({ realm: "small" }), newTurn({ realm: "small" })];
      const other = newTurn({ realm: "other" });
      for (const turn of [...small, other]) await turns.enqueue(turn);
      const worker = await served(new ProbeWorker());
      await worker.until(() => worker.running.length === 2);
      expect(worker.running).toContain(other.id);
      expect(await turns.counts()).toEqual([
        { realm: "other", waiting: 0, running: 1, dead: 0 },
        { realm: "small", waiting: 1, running: 1, dead: 0, limit: 1 },
      ]);
      for (const id of worker.running) worker.end(id);
      await worker.until(() => worker.began.length === 3);
      expect(worker.most).toBe(2);
    });
  });

  it("S23: leaves a turn that needs other guards to one that fits, and tells which facts differ", async () => {
    const turns = await opened();
    const foreign = newTurn({ fit: fitOf({ guards: "g2", release: "2" }) });
    const fitting = newTurn();
    await turns.enqueue(foreign);
    await turns.enqueue(fitting);
    const worker = await served(new ProbeWorker({ endsItself: true }));
    await worker.until(() => worker.misfits.length === 1 && worker.began.length === 1);
    expect(worker.misfits).toEqual([[foreign.id, ["release", "guards"]]]);
    expect(worker.began).toEqual([fitting.id]);
    expect(await turns.get(foreign.id)).toMatchObject({ state: "waiting" });
  });

  it("takes a waiting turn out when it is cancelled, and leaves a running one to its run", async () => {
    const turns = await opened();
    const [first, second] = [newTurn({ sessionId: "a" }), newTurn({ sessionId: "a" })];
    await turns.enqueue(first);
    await turns.enqueue(second);
    const worker = await served(new ProbeWorker());
    await worker.until(() => worker.running.length === 1);
    expect(await turns.cancel(second.id)).toBe(true);
    expect(await turns.cancel(first.id)).toBe(false);
    await expect(turns.cancel("nobody")).rejects.toThrow("knows no turn");
    worker.end(first.id);
    expect(await turns.ended(second.id, never)).toMatchObject({ state: "cancelled" });
    expect(await turns.ended(first.id, never)).toMatchObject({ state: "ended" });
    expect(worker.began).toEqual([first.id]);
  });

  it("drains: what ends in time has ended, what does not is handed back and run by the next worker", async () => {
    const turns = await opened();
    const [quick, slow, later] = [newTurn(), newTurn(), newTurn({ sessionId: "later" })];
    await turns.enqueue(quick);
    await turns.enqueue(slow);
    const worker = await served(new ProbeWorker({ concurrency: 2 }));
    await worker.until(() => worker.running.length === 2);
    await turns.enqueue(later);
    worker.end(quick.id);
    await turns.ended(quick.id, never);
    expect(await drained(50)).toContain(slow.id);
    expect(worker.running).toEqual([]);
    expect(await turns.get(slow.id)).toMatchObject({ state: "waiting" });
    const next = await served(new ProbeWorker({ endsItself: true }));
    expect(await turns.ended(slow.id, never)).toMatchObject({ state: "ended" });
    expect(await turns.ended(later.id, never)).toMatchObject({ state: "ended" });
    expect(next.began).toContain(slow.id);
  });

  it("is served by one worker of a process at a time, and ends a watch with its signal's reason", async () => {
    const turns = await opened();
    await served(new ProbeWorker());
    await expect(turns.serve(new ProbeWorker())).rejects.toThrow("serves the queue already");
    const ending = new AbortController();
    const turn = await turns.enqueue(newTurn({ fit: fitOf({ tools: "t2" }) }));
    const watched = turns.ended(turn.id, ending.signal);
    ending.abort(new Error("enough"));
    await expect(watched).rejects.toThrow("enough");
    await expect(turns.ended("nobody", never)).rejects.toThrow("knows no turn");
    expect(new HandBackError().message).toContain("another");
  });
}
