import type { ModelMessage } from "@mobkit/session";
import { describe, expect, test } from "vitest";
import type { PostgresStore } from "../src/index.ts";
import { gate } from "./support/gate.ts";
import { lossyProxy, type Cut } from "./support/lossy-proxy.ts";
import { databaseUrl, leasedSession, runSql, says, temporaryStore } from "./support/test-database.ts";

/** A store behind a proxy, and one beside it that nothing happens to. */
async function behindProxy(options: { readonly reconnectMs?: number } = {}) {
  const beside = await temporaryStore();
  const proxy = await lossyProxy(databaseUrl());
  const store = await temporaryStore({ url: proxy.url, schema: beside.schema, ...options });
  return { store, beside, proxy };
}

async function texts(store: PostgresStore<ModelMessage>, sessionId: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { body } of store.read(sessionId)) found.push(body.content);
  return found;
}

/** What the last thing that is sent holds: the single statement of an append the channel, a transaction its end. */
const cuts: readonly (readonly [string, Cut["at"], object])[] = [
  ["an append by one statement", "mobkit_test_", {}],
  ["an append in a transaction", "COMMIT", { sideState: [{ kind: "todo", onFork: "copy", value: 1 }] }],
];

// S27
describe.each(cuts)("the reply to %s is lost", (_name, at, beside) => {
  test("after the server has done it: it is answered, and stands once", async () => {
    const { store, proxy, beside: other } = await behindProxy();
    const { id, lease } = await leasedSession(store);
    const cut = proxy.cutNext({ at, when: "before the answer" });
    const written = store.append(id, { lease, expectedRev: 0, messages: [says("once")], ...beside });
    await cut;
    expect(await written).toMatchObject({ rev: 1, len: 1, replayed: false });
    expect(await texts(other, id)).toEqual(["once"]);
    expect(await store.append(id, { lease, expectedRev: 1, messages: [says("next")] })).toMatchObject({
      len: 2,
    });
  });

  test("before the server got it: it is done again, and stands once", async () => {
    const { store, proxy, beside: other } = await behindProxy();
    const { id, lease } = await leasedSession(store);
    const cut = proxy.cutNext({ at, when: "before the server" });
    const written = store.append(id, { lease, expectedRev: 0, messages: [says("once")], ...beside });
    await cut;
    expect(await written).toMatchObject({ rev: 1, len: 1, replayed: false });
    expect(await texts(other, id)).toEqual(["once"]);
  });

  test("and the server can't be asked: the caller is told so, and a repetition finds out", async () => {
    const { store, proxy, beside: other } = await behindProxy({ reconnectMs: 200 });
    const { id, lease } = await leasedSession(store);
    const cut = proxy.cutNext({ at, when: "before the answer" });
    const request = { lease, expectedRev: 0, messages: [says("once")], writeId: "w1", ...beside };
    const written = store.append(id, request);
    proxy.refuse(true);
    await cut;
    await expect(written).rejects.toMatchObject({
      code: "store_unavailable",
      details: { reason: "commit_unknown" },
    });
    proxy.refuse(false);
    expect(await store.append(id, request)).toMatchObject({ len: 1, replayed: true });
    expect(await texts(other, id)).toEqual(["once"]);
  });
});

// S27, F86–F103
test.each(["before the answer", "before the server"] as const)(
  "a fork whose commit is cut %s is made once, without an idempotency key",
  async (when) => {
    const { store, proxy } = await behindProxy();
    const { id, lease } = await leasedSession(store);
    await store.append(id, { lease, expectedRev: 0, messages: [says("a")] });
    const cut = proxy.cutNext({ at: "COMMIT", when });
    const committed = store.forks.commit({
      source: { member: "planner", sessionId: id },
      child: { member: "child", role: "general", labels: {} },
      request: {},
      requestDigest: "d",
      claim: { owner: "test", ttlMs: 1000 },
    });
    await cut;
    const { operation, replayed } = await committed;
    expect(replayed).toBe(false);
    expect((await store.operations.list()).items).toEqual([operation]);
    expect((await store.listSessions({ state: "pending" })).items).toHaveLength(1);
  },
);

test("a connection that is lost while it is idle, or in a read, is made anew", async () => {
  const { store, proxy } = await behindProxy();
  const { id, lease } = await leasedSession(store);
  await store.append(id, { lease, expectedRev: 0, messages: [says("a")] });
  proxy.cutAll();
  expect(await texts(store, id)).toEqual(["a"]);
  const cut = proxy.cutNext({ at: "agg", when: "before the answer" });
  const head = store.head(id);
  await Promise.race([cut, head]);
  expect(await head).toMatchObject({ len: 1 });
});

test("a server that is away for longer than the store waits is refused with its reason, and served again afterwards", async () => {
  const { store, proxy } = await behindProxy({ reconnectMs: 150 });
  const { id, lease } = await leasedSession(store);
  proxy.refuse(true);
  proxy.cutAll();
  await expect(store.head(id)).rejects.toMatchObject({ code: "store_unavailable" });
  const append = store.append(id, { lease, expectedRev: 0, messages: [says("a")] });
  await expect(append).rejects.toMatchObject({ code: "store_unavailable" });
  proxy.refuse(false);
  expect(await store.append(id, { lease, expectedRev: 0, messages: [says("a")] })).toMatchObject({ len: 1 });
});

test("what still waits on the server for a lost caller is ended before it is judged", async () => {
  const { store, proxy, beside } = await behindProxy();
  const { id, lease } = await leasedSession(store);
  const held = gate();
  const holding = beside.transact(lease, async () => {
    held.reach();
    await held.opened;
  });
  await held.reached;
  const written = store.append(id, { lease, expectedRev: 0, messages: [says("once")] });
  const [waiter] = await until(() => waiters(store.schema));
  proxy.cutAll();
  await until(async () => ((await waiters(store.schema)).includes(waiter) ? [] : ["gone"]));
  held.open();
  await holding;
  expect(await written).toMatchObject({ rev: 1, len: 1 });
  expect(await texts(beside, id)).toEqual(["once"]);
});

/** The server's processes that wait for a lock on the schema's sessions. */
async function waiters(schema: string): Promise<readonly unknown[]> {
  const rows = await runSql(
    `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%UPDATE session%'
     AND pid IN (SELECT pid FROM pg_locks WHERE relation = ($1 || '.session')::regclass)`,
    { values: [schema] },
  );
  return rows.map(({ pid }) => pid);
}

async function until<T>(look: () => Promise<readonly T[]>): Promise<readonly T[]> {
  for (;;) {
    const found = await look();
    if (found.length > 0) return found;
  }
}
