import { actor, actorOn, asks, rowsOf, says, type AnyStore } from "./actor.ts";
import { ensure, ensureRefused, ensureSame } from "./assertions.ts";
import { onStore, type Bench, type ConformanceChapter } from "./case.ts";

/** What was acknowledged is there when the store is opened again. Only for stores with `reopen`. */
export const durabilityChapter: ConformanceChapter = {
  name: "durability",
  cases: [
    onStore("transcript, head, members and blobs survive", async (bench) => {
      const planner = await actor(bench.store);
      await planner.append([says("a"), says("x".repeat(20_000)), asks("c1")], {
        runTurn: "t",
        queuedInputs: 1,
      });
      const { digest } = await bench.store.blobs.put("whole result");
      const written = [await bench.store.head(planner.sessionId), await planner.rows()];
      const member = await bench.store.members.get("planner");
      const store = await reopened(bench);
      ensureSame(
        [await store.head(planner.sessionId), await rowsOf(store, planner.sessionId)],
        written,
        "the session",
      );
      ensureSame(await store.members.get("planner"), member, "the member");
      ensure((await store.blobs.get(digest)) !== undefined, "the blob");
    }),
    onStore("S27: a write id survives", async (bench) => {
      const planner = await actor(bench.store);
      const request = { lease: planner.lease, expectedRev: 0, messages: [says("a")], writeId: "w1" };
      const first = await bench.store.append(planner.sessionId, request);
      const store = await reopened(bench);
      ensureSame(await store.append(planner.sessionId, request), { ...first, replayed: true }, "the retry");
      const other = store.append(planner.sessionId, { ...request, messages: [says("b")] });
      await ensureRefused(other, "write_id_conflict");
    }),
    onStore("F110: fencing survives: epochs go on from where they were", async (bench) => {
      const planner = await actor(bench.store);
      const store = await reopened(bench);
      await ensureRefused(store.acquireLease(planner.sessionId, { owner: "b", ttlMs: 10 }), "lease_held");
      bench.clock.advance(60_001);
      const taker = await actorOn(store, "planner", planner.sessionId);
      ensure(taker.lease.epoch > planner.lease.epoch, "the epoch grew");
      const late = store.append(planner.sessionId, {
        lease: planner.lease,
        expectedRev: 0,
        messages: [says("a")],
      });
      await ensureRefused(late, "stale_fence");
      await taker.append([says("a")]);
    }),
    onStore("F86–F103: a committed fork survives, is listed, and is seated afterwards", async (bench) => {
      const planner = await actor(bench.store);
      await planner.append([says("a")]);
      const { operation, session } = await planner.commit("child", {
        idempotencyKey: "k1",
        initialMessage: says("begin"),
      });
      const store = await reopened(bench);
      ensureSame((await store.operations.list({ state: "committed" })).items, [operation], "listed");
      ensureSame(await store.operations.ofKey("k1"), operation, "found by its key");
      ensure((await store.members.get("child")) === undefined, "not found by name");
      bench.clock.advance(10_001);
      const claim = await store.operations.claim({ operationId: operation.id, owner: "b", ttlMs: 1000 });
      const seat = await store.forks.seat({ claim });
      ensure(seat.session.id === session.id, "the same child");
      ensure((await store.outbox.list({ kind: "session.input" })).items.length === 1, "its first input");
    }),
    onStore("branches, cancels, compactions and shared side state survive", async (bench) => {
      const planner = await actor(bench.store);
      await planner.append([says("a"), says("b")], {
        sideState: [{ kind: "board", onFork: "share", value: 1 }],
      });
      await planner.append([says("summary")], { mark: { summarises: 2, keepFrom: 1 } });
      const child = await planner.fork("child");
      await planner.cancel({ to: 1, messages: [says("other")] });
      const written = [
        await planner.rows(),
        await child.rows(),
        await bench.store.contextMark(child.sessionId),
      ];
      const marks = await bench.store.cancelMarks(planner.sessionId);
      const store = await reopened(bench);
      const found = [
        await rowsOf(store, planner.sessionId),
        await rowsOf(store, child.sessionId),
        await store.contextMark(child.sessionId),
      ];
      ensureSame(found, written, "rows and compaction");
      ensureSame(await store.cancelMarks(planner.sessionId), marks, "the cancel");
      const change = { sideState: [{ kind: "board", onFork: "share", value: 2 }] } as const;
      await store.update(child.sessionId, { lease: child.lease, expectedRev: child.rev, ...change });
      ensure((await store.sideState(planner.sessionId, "board"))?.value === 2, "shared both ways");
    }),
  ],
};

async function reopened({ reopen }: Bench): Promise<AnyStore> {
  ensure(reopen !== undefined, "a durable store's factory has reopen()");
  return reopen();
}
