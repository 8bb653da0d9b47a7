import { expect, test } from "vitest";
import type { StoreNotice } from "../src/index.ts";
import { forkOf } from "./support/forks.ts";
import { lossyProxy } from "./support/lossy-proxy.ts";
import { databaseUrl, leasedSession, runSql, says, temporaryStore } from "./support/test-database.ts";

/** A follower that is read by hand. */
function follower(notices: AsyncIterable<StoreNotice>) {
  const iterator = notices[Symbol.asyncIterator]();
  return {
    next: async () => (await iterator.next()).value as StoreNotice | undefined,
    leave: () => iterator.return?.(),
  };
}

test("a follower is told of every commit of other stores, in order, after one resync", async () => {
  const writer = await temporaryStore();
  const reader = await temporaryStore({ schema: writer.schema });
  const all = follower(reader.follow());
  expect(await all.next()).toEqual({ kind: "resync" });
  const { id, lease } = await leasedSession(writer);
  await writer.append(id, { lease, expectedRev: 0, messages: [says("a")] });
  await writer.adjustWork(id, { queuedInputs: 1 });
  await writer.append(id, { lease, expectedRev: 1, messages: [says("b")], queuedInputs: -1 });
  const { session } = await forkOf(writer, id, { member: "child" });
  await writer.setState(id, { state: "archived" });
  const seen = [await all.next(), await all.next(), await all.next(), await all.next(), await all.next()];
  const of = { kind: "changed", sessionId: id, state: "ready" };
  expect(seen).toEqual([
    { ...of, rev: 0, len: 0 },
    { ...of, rev: 1, len: 1 },
    { ...of, rev: 1, len: 1 },
    { ...of, rev: 2, len: 2 },
    { kind: "changed", sessionId: session.id, rev: 0, len: 2, state: "pending" },
  ]);
  expect(await all.next()).toEqual({ ...of, rev: 2, len: 2, state: "archived" });
  await all.leave();
});

test("a write that is refused or undone is not told", async () => {
  const store = await temporaryStore();
  const { id, lease } = await leasedSession(store);
  const one = follower(store.follow({ sessionId: id }));
  await one.next();
  const write = { lease, expectedRev: 0, messages: [says("a")] };
  const join = (): never => {
    throw new Error("no");
  };
  await expect(store.append(id, { ...write, join })).rejects.toThrow("no");
  await expect(store.append(id, { ...write, expectedRev: 5 })).rejects.toThrow("revision");
  await leasedSession(store, "other");
  await store.append(id, write);
  expect(await one.next()).toMatchObject({ sessionId: id, rev: 1 });
  await one.leave();
});

test("a follower whose connection is lost goes on by itself, and is told to resync", async () => {
  const writer = await temporaryStore();
  const proxy = await lossyProxy(databaseUrl());
  const reader = await temporaryStore({ schema: writer.schema, url: proxy.url });
  const { id, lease } = await leasedSession(writer);
  const all = follower(reader.follow({ sessionId: id }));
  expect(await all.next()).toEqual({ kind: "resync" });
  proxy.refuse(true);
  proxy.cutAll();
  await writer.append(id, { lease, expectedRev: 0, messages: [says("missed")] });
  proxy.refuse(false);
  expect(await all.next()).toEqual({ kind: "resync" });
  expect(await reader.head(id)).toMatchObject({ len: 1 });
  await writer.append(id, { lease, expectedRev: 1, messages: [says("told")] });
  expect(await all.next()).toMatchObject({ kind: "changed", rev: 2 });
  await all.leave();
});

test("a follower that does not read gets one resync in place of what it missed", async () => {
  const store = await temporaryStore();
  const { id } = await store.createSession({ member: "planner", role: "general" });
  const slow = follower(store.follow({ sessionId: id }));
  expect(await slow.next()).toEqual({ kind: "resync" });
  const payload = JSON.stringify([id, 1, 1, "ready"]);
  await runSql("SELECT pg_notify($1, $2 || repeat(' ', n)) FROM generate_series(1, 3000) AS n", {
    values: [`mobkit_${store.schema}`, payload],
  });
  await store.adjustWork(id, { queuedInputs: 1 });
  const first = await slow.next();
  const kinds = [first?.kind];
  await store.adjustWork(id, { queuedInputs: -1 });
  for (let notice = first; notice?.kind !== "resync";) kinds.push((notice = await slow.next())?.kind);
  expect(kinds.length).toBeLessThanOrEqual(1025);
  await slow.leave();
});

test("following ends with its signal, with the loop and with the store; what isn't understood means resync", async () => {
  const store = await temporaryStore();
  const stop = new AbortController();
  const one = follower(store.follow({ signal: stop.signal }));
  await one.next();
  await runSql("SELECT pg_notify($1, 'from somebody else')", { values: [`mobkit_${store.schema}`] });
  expect(await one.next()).toEqual({ kind: "resync" });
  const waiting = one.next();
  stop.abort();
  expect(await waiting).toBeUndefined();
  const other = follower(store.follow());
  await other.next();
  const last = other.next();
  await store.close();
  expect(await last).toBeUndefined();
  await expect(follower(store.follow()).next()).rejects.toMatchObject({ code: "store_unavailable" });
});
