import { actor, actorOn, says } from "./actor.ts";
import { ensure, ensureRefused, ensureSame } from "./assertions.ts";
import { onStore, type ConformanceChapter } from "./case.ts";

/** One writer per session. */
export const leasesChapter: ConformanceChapter = {
  name: "leases and fencing",
  cases: [
    onStore("a held lease is refused, also to its own name", async ({ store }) => {
      const planner = await actor(store);
      const details = await ensureRefused(
        store.acquireLease(planner.sessionId, { owner: "other", ttlMs: 1000 }),
        "lease_held",
      );
      ensureSame(
        [details.owner, details.expiresAt],
        [planner.lease.owner, planner.lease.expiresAt],
        "the holder",
      );
      await ensureRefused(
        store.acquireLease(planner.sessionId, { owner: planner.lease.owner, ttlMs: 1000 }),
        "lease_held",
      );
    }),
    onStore("F110: after a takeover the old owner's writes are stale", async ({ store, clock }) => {
      const planner = await actor(store);
      await planner.append([says("a")]);
      clock.advance(60_001);
      const taker = await actorOn(store, "planner", planner.sessionId);
      ensure(taker.lease.epoch > planner.lease.epoch, "the epoch grew");
      ensureSame(
        await ensureRefused(planner.append([says("b")]), "stale_fence"),
        { sessionId: planner.sessionId, epoch: planner.lease.epoch, current: taker.lease.epoch },
        "the refusal",
      );
      await ensureRefused(planner.update({ runTurn: "t" }), "stale_fence");
      await ensureRefused(planner.cancel({ to: 0 }), "stale_fence");
      await ensureRefused(store.renewLease(planner.lease), "stale_fence");
      ensure(!(await store.releaseLease(planner.lease)), "a stale lease releases nothing");
      await taker.append([says("b")]);
      ensure((await taker.rows()).length === 2, "only the taker wrote");
    }),
    onStore("an expired lease that nobody took still writes and renews", async ({ store, clock }) => {
      const planner = await actor(store);
      clock.advance(90_000);
      await planner.append([says("a")]);
      const renewed = await store.renewLease(planner.lease, { ttlMs: 5000 });
      ensureSame(
        [renewed.epoch, renewed.expiresAt],
        [planner.lease.epoch, clock.now() + 5000],
        "the renewed lease",
      );
      await ensureRefused(store.acquireLease(planner.sessionId, { owner: "other", ttlMs: 10 }), "lease_held");
    }),
    onStore("a renewed lease outlives its first expiry", async ({ store, clock }) => {
      const planner = await actor(store);
      clock.advance(50_000);
      await store.renewLease(planner.lease);
      clock.advance(50_000);
      await ensureRefused(store.acquireLease(planner.sessionId, { owner: "other", ttlMs: 10 }), "lease_held");
      clock.advance(10_000);
      await store.acquireLease(planner.sessionId, { owner: "other", ttlMs: 10 });
    }),
    onStore("a released lease is free at once, and writes with it are stale", async ({ store }) => {
      const planner = await actor(store);
      ensure(await store.releaseLease(planner.lease), "it was held");
      ensure(!(await store.releaseLease(planner.lease)), "it isn't held twice");
      await ensureRefused(planner.append([says("a")]), "stale_fence");
      const next = await store.acquireLease(planner.sessionId, { owner: "other", ttlMs: 1000 });
      ensure(next.epoch > planner.lease.epoch, "the epoch grew");
      await ensureRefused(planner.append([says("a")]), "stale_fence");
    }),
    onStore("a lease of one session opens no other", async ({ store }) => {
      const planner = await actor(store);
      const critic = await actor(store, "critic");
      await ensureRefused(critic.append([says("a")], { lease: planner.lease }), "stale_fence");
    }),
    onStore("of many who want a free lease exactly one gets it", async ({ store }) => {
      const { id } = await store.createSession({ member: "planner", role: "general" });
      const wants = Array.from({ length: 16 }, (_, index) =>
        store.acquireLease(id, { owner: `w${index}`, ttlMs: 1000 }),
      );
      const outcomes = await Promise.allSettled(wants);
      ensure(outcomes.filter(({ status }) => status === "fulfilled").length === 1, "one winner");
    }),
    onStore("a lease lives from 1 ms to an hour", async ({ store }) => {
      const { id } = await store.createSession({ member: "planner", role: "general" });
      for (const ttlMs of [0, -1, 1.5, 3_600_001]) {
        await ensureRefused(store.acquireLease(id, { owner: "a", ttlMs }), "invalid_request");
      }
      await store.acquireLease(id, { owner: "a", ttlMs: 3_600_000 });
    }),
  ],
};
