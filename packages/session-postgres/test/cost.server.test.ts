import type { ModelMessage } from "@mobkit/session";
import { expect, test } from "vitest";
import type { PostgresStore } from "../src/index.ts";
import { forkOf } from "./support/forks.ts";
import { lossyProxy } from "./support/lossy-proxy.ts";
import { databaseUrl, leasedSession, runSql, says, temporaryStore } from "./support/test-database.ts";

type Store = PostgresStore<ModelMessage>;
type Leased = Awaited<ReturnType<typeof leasedSession>>;

/** A store with one connection, whose round trips are counted. */
async function countedStore() {
  const beside = await temporaryStore();
  const proxy = await lossyProxy(databaseUrl());
  const store = await temporaryStore({ url: proxy.url, schema: beside.schema, maxConnections: 1 });
  const tripsOf = async <T>(work: () => Promise<T>): Promise<number> => {
    const before = proxy.roundTrips;
    await work();
    return proxy.roundTrips - before;
  };
  return { store, tripsOf };
}

async function fill(store: Store, session: Leased, length: number): Promise<void> {
  let { rev, len } = await store.head(session.id);
  while (len < length) {
    const messages = Array.from({ length: Math.min(500, length - len) }, (_, at) => says(`${len + at}`));
    ({ rev, len } = await store.append(session.id, { lease: session.lease, expectedRev: rev, messages }));
  }
}

// F107, D22
test("a fork's commit is three round trips at ten messages and at five thousand, with an idempotency key as without", async () => {
  const { store, tripsOf } = await countedStore();
  const session = await leasedSession(store);
  const trips: number[] = [];
  for (const length of [10, 5000]) {
    await fill(store, session, length);
    await forkOf(store, session.id, { member: `warm-${length}` });
    const asked = { member: `child-${length}`, idempotencyKey: `k${length}`, initialMessage: says("go on") };
    trips.push(await tripsOf(() => forkOf(store, session.id, asked)));
    trips.push(
      await tripsOf(() => forkOf(store, session.id, { member: `zero-${length}`, at: 0, allowEmpty: true })),
    );
  }
  expect(trips).toEqual([3, 2, 3, 2]);
});

test("an append is one round trip at any length, with blobs, write ids, events and an open turn as without", async () => {
  const { store, tripsOf } = await countedStore();
  const session = await leasedSession(store);
  const { id, lease } = session;
  for (const length of [10, 2000]) {
    await fill(store, session, length);
    const { rev } = await store.head(id);
    const plain = { lease, messages: [says("one more")] };
    expect(await tripsOf(() => store.append(id, { ...plain, expectedRev: rev }))).toBe(1);
    const rich = {
      lease,
      expectedRev: rev + 1,
      messages: [says("long ".repeat(5000)), says("two")],
      writeId: `w${length}`,
      events: [{ key: `e${length}`, kind: "told", payload: 1 }],
      turnId: "t",
      runTurn: "t",
      usage: { inputTokens: 5 },
    };
    expect(await tripsOf(() => store.append(id, rich))).toBe(1);
  }
});

test("leases and joined writes are short: two and three round trips", async () => {
  const { store, tripsOf } = await countedStore();
  const { id, lease } = await leasedSession(store);
  await store.renewLease(lease);
  expect(await tripsOf(() => store.renewLease(lease))).toBe(2);
  const join = async (): Promise<void> => undefined;
  await store.append(id, { lease, expectedRev: 0, messages: [says("a")], join });
  expect(await tripsOf(() => store.append(id, { lease, expectedRev: 1, messages: [says("b")], join }))).toBe(
    3,
  );
});

// F108
test("forks add little, however long what they inherit", async () => {
  const store = await temporaryStore();
  const session = await leasedSession(store);
  await fill(store, session, 5000);
  const size = async (): Promise<number> => {
    const [row] = await runSql(
      "SELECT sum(pg_total_relation_size(oid))::bigint AS n FROM pg_class WHERE relkind = 'r' AND relnamespace = $1::regnamespace",
      { values: [store.schema] },
    );
    return Number(row?.["n"]);
  };
  const before = await size();
  for (let round = 0; round < 25; round += 1) {
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => forkOf(store, session.id, { member: `child-${round}-${at}` })),
    );
  }
  expect(((await size()) - before) / 500).toBeLessThan(5000);
});

// F47–F57
test("a fork writes nothing of its source", async () => {
  const store = await temporaryStore();
  const session = await leasedSession(store);
  await fill(store, session, 5);
  const look = () =>
    runSql(
      "SELECT (SELECT json_agg(session) FROM session WHERE id = $1) AS s, (SELECT json_agg(message) FROM message) AS m",
      {
        schema: store.schema,
        values: [session.id],
      },
    );
  const before = await look();
  await forkOf(store, session.id, { member: "child" });
  expect(await look()).toEqual(before);
});

// S34, F114
test("a reader that stops half-way holds neither a transaction nor a connection", async () => {
  const { store, tripsOf } = await countedStore();
  const session = await leasedSession(store);
  await fill(store, session, 10);
  const rows = store.read(session.id, { pageSize: 4 })[Symbol.asyncIterator]();
  await rows.next();
  await fill(store, session, 12);
  let count = 1;
  while (!(await rows.next()).done) count += 1;
  expect(count).toBe(10);
  expect(await tripsOf(() => store.listSessions())).toBe(1);
});
