import { manualClock } from "@basis/core/testing";
import { expect, test } from "vitest";
import { forkOf } from "./support/forks.ts";
import { lossyProxy } from "./support/lossy-proxy.ts";
import { databaseUrl, leasedSession, says, temporaryStore } from "./support/test-database.ts";

test("a look at a session is one round trip, and so is taking its lease while that is free", async () => {
  const proxy = await lossyProxy(databaseUrl());
  const store = await temporaryStore({ url: proxy.url, maxConnections: 1 });
  const { id } = await store.createSession({ member: "planner", role: "general" });
  await store.look(id);
  let before = proxy.roundTrips;
  const tripsOf = (): number => proxy.roundTrips - before;
  const look = await store.look(id);
  expect(tripsOf()).toBe(1);
  expect(look).toEqual({
    session: await store.head(id),
    member: await store.members.get("planner"),
    sideStates: [],
    operation: undefined,
    redactions: 0,
  });
  before = proxy.roundTrips;
  const taken = await store.takeLease(id, { owner: "a", ttlMs: 60_000 });
  expect(tripsOf()).toBe(1);
  expect(taken.lease).toMatchObject({
    sessionId: id,
    owner: "a",
    epoch: look.session.lease.epoch + 1,
    ttlMs: 60_000,
  });
  expect(taken.look.session).toEqual(await store.head(id));
  before = proxy.roundTrips;
  const sideState = [{ kind: "note", onFork: "reset", value: { a: 1 } }] as const;
  await store.append(id, { lease: taken.lease, expectedRev: 0, messages: [says("a")] });
  expect(tripsOf()).toBe(1); // what the lease brought along is what the first write is decided on
  await store.append(id, {
    lease: taken.lease,
    expectedRev: 1,
    messages: [says("b")],
    sideState,
    release: true,
  });
  const { session } = await forkOf(store, id, { member: "child" });
  expect(await store.look(session.id)).toMatchObject({
    member: undefined, // not before it is seated
    operation: { child: { sessionId: session.id, member: "child" } },
  });
  const again = await store.takeLease(id, { owner: "b", ttlMs: 1000 });
  expect(again.look.sideStates).toMatchObject([{ kind: "note", value: { a: 1 } }]);
});

test("taking a lease is refused as acquiring one is, and takes over what has run out", async () => {
  const store = await temporaryStore();
  const { id } = await leasedSession(store);
  const request = { owner: "b", ttlMs: 60_000 };
  await expect(store.takeLease(id, request)).rejects.toMatchObject({ code: "lease_held" });
  await expect(store.takeLease("nowhere", request)).rejects.toMatchObject({ code: "unknown_session" });
  await expect(store.look("nowhere")).rejects.toMatchObject({ code: "unknown_session" });
  await expect(store.takeLease(id, { owner: "", ttlMs: 1 })).rejects.toMatchObject({
    code: "invalid_request",
  });
  await expect(store.takeLease(id, { owner: "b", ttlMs: 0 })).rejects.toMatchObject({
    code: "invalid_request",
  });
  const clock = manualClock();
  const timed = await temporaryStore({ clock });
  const { id: late } = await timed.createSession({ member: "m", role: "r" });
  const first = await timed.takeLease(late, { owner: "a", ttlMs: 1000 });
  expect(first.lease.expiresAt).toBe(clock.now() + 1000);
  clock.advance(1000);
  expect((await timed.takeLease(late, { owner: "b", ttlMs: 1000 })).lease.epoch).toBe(first.lease.epoch + 1);
});

// S27
test("a lease whose grant is not heard of is taken all the same, once", async () => {
  const proxy = await lossyProxy(databaseUrl());
  const store = await temporaryStore({ url: proxy.url });
  const { id } = await store.createSession({ member: "planner", role: "general" });
  const cut = proxy.cutNext({ at: "lease_epoch = lease_epoch + 1", when: "before the answer" });
  const { lease } = await store.takeLease(id, { owner: "a", ttlMs: 60_000 });
  await cut;
  expect(lease.epoch).toBe(1);
  expect((await store.head(id)).lease).toMatchObject({ owner: "a", epoch: 1 });
});
