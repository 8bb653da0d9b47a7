import { expect, test } from "vitest";
import type { ExtensionNotice } from "../src/index.ts";
import { lossyProxy } from "./support/lossy-proxy.ts";
import { databaseUrl, leasedSession, temporaryStore } from "./support/test-database.ts";

const notes = {
  name: "notes",
  migrations: ["CREATE TABLE notes_of (id integer PRIMARY KEY, note text)"],
};
const insert = "INSERT INTO notes_of VALUES ($1, $2) ON CONFLICT DO NOTHING";

/** Notices that are read by hand. */
function heard(notices: AsyncIterable<ExtensionNotice>) {
  const iterator = notices[Symbol.asyncIterator]();
  return {
    next: async () => (await iterator.next()).value as ExtensionNotice | undefined,
    leave: () => iterator.return?.(),
  };
}

test("a statement is one round trip and one transaction, and a joined write with statements stays at three", async () => {
  const proxy = await lossyProxy(databaseUrl());
  const store = await temporaryStore({ url: proxy.url, maxConnections: 1 });
  const own = await store.extend(notes);
  const { id, lease } = await leasedSession(store);
  const before = proxy.roundTrips;
  await own.statement(insert, [1, "a"]);
  expect(await own.statement("SELECT note FROM notes_of WHERE id = $1", [1])).toEqual([{ note: "a" }]);
  expect(proxy.roundTrips - before).toBe(2);
  const beforeJoin = proxy.roundTrips;
  const join = async ({
    sql,
  }: {
    sql: { run(text: string, values: readonly (string | number)[]): Promise<number> };
  }) => void (await Promise.all([sql.run(insert, [2, "b"]), sql.run(insert, [3, "c"])]));
  await store.update(id, { lease, expectedRev: 0, join });
  expect(proxy.roundTrips - beforeJoin).toBe(3);
  expect(await own.statement("SELECT count(*)::int AS n FROM notes_of")).toEqual([{ n: 3 }]);
});

// S27
test("a statement whose reply is lost is sent again", async () => {
  const proxy = await lossyProxy(databaseUrl());
  const store = await temporaryStore({ url: proxy.url });
  const own = await store.extend(notes);
  const cut = proxy.cutNext({ at: "INSERT INTO notes_of", when: "before the answer" });
  await own.statement(insert, [1, "once"]);
  await cut;
  expect(await own.statement("SELECT note FROM notes_of")).toEqual([{ note: "once" }]);
});

test("a statement that fails says why at once, and what would leave its transaction is refused", async () => {
  const store = await temporaryStore();
  const own = await store.extend(notes);
  await own.statement(insert, [1, "a"]);
  const again = own.statement("INSERT INTO notes_of VALUES (1, 'b')");
  await expect(again).rejects.toMatchObject({ code: "23505" });
  await expect(own.statement("COMMIT")).rejects.toMatchObject({ code: "invalid_sql" });
  await expect(own.statement("SELECT nothing")).rejects.toMatchObject({ code: "store_unavailable" });
});

test("what a namespace tells is heard by other stores' listeners once it is committed, after one resync, and by no other namespace", async () => {
  const writer = await temporaryStore();
  const proxy = await lossyProxy(databaseUrl());
  const reader = await temporaryStore({ schema: writer.schema, url: proxy.url });
  const own = await writer.extend(notes);
  const other = await writer.extend({ name: "other", migrations: ["CREATE TABLE other_of (id integer)"] });
  const listener = heard((await reader.extend(notes)).notices());
  expect(await listener.next()).toEqual({ kind: "resync" });
  const tell = (text: string, { channel } = own) =>
    writer.extend(notes).then((one) => one.statement("SELECT pg_notify($1, $2)", [channel, text]));
  await tell("elsewhere", other);
  const undone = own.transaction(async ({ sql }) => {
    await sql.get("SELECT pg_notify($1, 'undone')", [own.channel]);
    throw new Error("no");
  });
  await expect(undone).rejects.toThrow("no");
  await tell("first");
  expect(await listener.next()).toEqual({ kind: "told", text: "first" });
  proxy.cutAll();
  expect(await listener.next()).toEqual({ kind: "resync" });
  await tell("second");
  expect(await listener.next()).toEqual({ kind: "told", text: "second" });
  await listener.leave();
});
