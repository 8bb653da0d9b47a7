import { actor, asks, says, type Actor } from "./actor.ts";
import { ensure, ensureRefused, ensureSame } from "./assertions.ts";
import { onStore, type ConformanceChapter } from "./case.ts";

/** A write that frees its lease. Only for stores with the capability `releasingWrites`. */
export const releaseChapter: ConformanceChapter = {
  name: "releasing writes",
  cases: [
    onStore("a write frees its lease, and the next owner need not wait", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a")], { release: true });
      await checkFree(planner);
      const next = await store.acquireLease(planner.sessionId, { owner: "next", ttlMs: 1000 });
      ensure(next.epoch > planner.lease.epoch, "the epoch grew");
      await ensureRefused(planner.append([says("b")]), "stale_fence");
    }),
    onStore("an update and a cancel free it too, a write that doesn't say so keeps it", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a")], { release: false });
      ensure((await store.head(planner.sessionId)).lease.owner === planner.lease.owner, "it is held");
      await planner.update({ runTurn: null, release: true });
      await checkFree(planner);
      const other = await actor(store, "other");
      await other.append([says("a")]);
      await other.cancel({ to: 0, release: true });
      await checkFree(other);
    }),
    onStore("a refused write frees nothing, and a repeated one answers as before", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([asks("c1")]);
      await ensureRefused(planner.append([says("b")], { release: true }), "open_calls");
      await planner.cancel({ to: 0 });
      const write = { lease: planner.lease, expectedRev: planner.rev, messages: [says("a")], writeId: "w" };
      const first = await store.append(planner.sessionId, { ...write, release: true });
      ensureSame(
        await store.append(planner.sessionId, { ...write, release: true }),
        { ...first, replayed: true },
        "the repetition",
      );
      await checkFree(planner);
      const wrong = planner.update({ release: 1 as never });
      ensure((await ensureRefused(wrong, "invalid_request")).field === "release", "a flag is true or false");
    }),
  ],
};

async function checkFree({ store, sessionId, lease }: Actor): Promise<void> {
  const { owner, expiresAt, epoch } = (await store.head(sessionId)).lease;
  ensureSame([owner, expiresAt, epoch], [null, null, lease.epoch], "nobody holds it");
}
