import { expect, test } from "vitest";
import type { PostgresTransaction } from "../src/index.ts";
import { leasedSession, runSql, says, temporaryStore } from "./support/test-database.ts";

const notes = { name: "notes", migrations: ["CREATE TABLE notes_of (id integer PRIMARY KEY, note text)"] };

async function withNotes() {
  const store = await temporaryStore();
  const extension = await store.extend(notes);
  const all = () => extension.read(({ sql }) => sql.all("SELECT * FROM notes_of ORDER BY id"));
  return { store, extension, all };
}

const add =
  (id: number) =>
  async ({ sql }: PostgresTransaction): Promise<void> => {
    expect(await sql.run("INSERT INTO notes_of VALUES ($1, 'kept')", [id])).toBe(1);
  };

test("a namespace has its own version, and its tables are kept from opening to opening", async () => {
  const { store, extension, all } = await withNotes();
  await extension.transaction(add(1));
  const second = ["ALTER TABLE notes_of ADD COLUMN at bigint DEFAULT 7"];
  const again = await temporaryStore({ schema: store.schema });
  const migrations = [...notes.migrations, ...second];
  expect(await again.extend({ name: "notes", migrations })).toMatchObject({ version: 2 });
  expect(await again.extend({ name: "notes", migrations })).toMatchObject({ version: 2 });
  expect(await all()).toEqual([{ id: 1, note: "kept", at: 7 }]);
  await expect(store.extend(notes)).rejects.toMatchObject({ code: "invalid_extension" });
});

test("two openers of a namespace run each migration once", async () => {
  const store = await temporaryStore();
  const others = await Promise.all([1, 2, 3].map(() => temporaryStore({ schema: store.schema })));
  const opened = await Promise.all([store, ...others].map((one) => one.extend(notes)));
  expect(opened.map(({ version }) => version)).toEqual([1, 1, 1, 1]);
});

// D20, S28
test("a join commits with its write, and what it throws undoes both", async () => {
  const { store, all } = await withNotes();
  const { id, lease } = await leasedSession(store);
  await store.append(id, { lease, expectedRev: 0, messages: [says("a")], join: add(1) });
  const join = async (tx: PostgresTransaction): Promise<void> => {
    await add(2)(tx);
    throw new Error("the approval is gone");
  };
  const refused = store.append(id, { lease, expectedRev: 1, messages: [says("b")], join });
  await expect(refused).rejects.toThrow("the approval is gone");
  await store.adjustWork(id, { queuedInputs: 1, join: add(3) });
  expect((await all()).map(({ id: note }) => note)).toEqual([1, 3]);
  expect(await store.head(id)).toMatchObject({ len: 1, queuedInputs: 1 });
});

test("work on a session's fence is refused with a stale lease, and sees the session as it is", async () => {
  const { store, all } = await withNotes();
  const { id, lease } = await leasedSession(store);
  expect(await store.transact(lease, ({ session }) => session.rev)).toBe(0);
  await store.transact(lease, add(1));
  await store.releaseLease(lease);
  await expect(store.transact(lease, add(2))).rejects.toMatchObject({ code: "stale_fence" });
  expect(await all()).toHaveLength(1);
  expect(await store.head(id)).toMatchObject({ rev: 0 });
});

test("a failure that a callback hides still undoes the whole, and is what the caller gets", async () => {
  const { store, extension, all } = await withNotes();
  const { id, lease } = await leasedSession(store);
  await extension.transaction(add(1));
  const join = async (tx: PostgresTransaction): Promise<void> => {
    await add(1)(tx).catch(() => undefined);
  };
  const hidden = store.append(id, { lease, expectedRev: 0, messages: [says("a")], join });
  await expect(hidden).rejects.toMatchObject({ code: "23505" });
  await expect(extension.transaction(join)).rejects.toMatchObject({ code: "23505" });
  expect(await store.head(id)).toMatchObject({ len: 0 });
  expect(await store.append(id, { lease, expectedRev: 0, messages: [says("a")] })).toMatchObject({ len: 1 });
  expect(await all()).toHaveLength(1);
});

test("a callback can't call the store, end the transaction, send two statements, or use its SQL afterwards", async () => {
  const { store, extension, all } = await withNotes();
  const calls = extension.transaction(() => store.listSessions());
  await expect(calls).rejects.toMatchObject({ details: { reason: "in_transaction" } });
  for (const text of ["COMMIT", "/* */ rollback", "SET search_path = public", "SAVEPOINT s"]) {
    const ends = extension.transaction(({ sql }) => sql.run(text));
    await expect(ends).rejects.toMatchObject({ code: "invalid_sql" });
  }
  const two = extension.transaction(({ sql }) => sql.run("SELECT 1; COMMIT"));
  await expect(two).rejects.toMatchObject({ code: "42601" });
  let kept: PostgresTransaction | undefined;
  await extension.transaction((tx) => void (kept = tx));
  await expect(add(5)(kept!)).rejects.toMatchObject({ code: "invalid_sql" });
  await expect(extension.read(add(6))).rejects.toMatchObject({ code: "25006" });
  expect(await all()).toEqual([]);
});

test("a migration that leaves its namespace, or fails, changes nothing", async () => {
  const { store } = await withNotes();
  const foreign = [
    "CREATE TABLE other_table (id integer)",
    "CREATE TABLE bad_one (id integer); ALTER TABLE session ADD COLUMN mine text",
    "CREATE TRIGGER bad_spy BEFORE INSERT ON message FOR EACH ROW EXECUTE FUNCTION blob_deleted()",
    "CREATE OR REPLACE FUNCTION blob_deleted() RETURNS trigger LANGUAGE sql AS 'SELECT NULL'",
  ];
  for (const script of foreign) {
    const refused = store.extend({ name: "bad", migrations: [script] });
    await expect(refused).rejects.toMatchObject({ name: "PostgresStoreError" });
  }
  const refusedByText = ["DELETE FROM session", "COMMIT", "CREATE TEMP TABLE session (id text)"];
  for (const script of refusedByText) {
    const refused = store.extend({ name: "bad", migrations: [script] });
    await expect(refused).rejects.toMatchObject({ code: "invalid_extension" });
  }
  const broken = store.extend({
    name: "bad",
    migrations: ["CREATE TABLE bad_one (id integer)", "CREATE nonsense"],
  });
  await expect(broken).rejects.toMatchObject({ code: "migration_failed", details: { version: 2 } });
  const left = await runSql("SELECT to_regclass('bad_one') AS t, to_regclass('other_table') AS o", {
    schema: store.schema,
  });
  expect(left).toEqual([{ t: null, o: null }]);
});

test.each(["session", "Notes", "a_b", "", "x".repeat(33), 5 as never])(
  "the name %j is refused",
  async (name) => {
    const store = await temporaryStore();
    const refused = store.extend({ name, migrations: [] });
    await expect(refused).rejects.toMatchObject({ code: "invalid_extension" });
  },
);

test("transactions that undo each other are repeated until both are done", async () => {
  const { store, extension, all } = await withNotes();
  await extension.transaction(add(1));
  await extension.transaction(add(2));
  const other = await (await temporaryStore({ schema: store.schema })).extend(notes);
  const swap =
    (first: number, second: number) =>
    async ({ sql }: PostgresTransaction): Promise<void> => {
      await sql.run("UPDATE notes_of SET note = note || '+' WHERE id = $1", [first]);
      await sql.all("SELECT pg_sleep(0.2)");
      await sql.run("UPDATE notes_of SET note = note || '+' WHERE id = $1", [second]);
    };
  await Promise.all([extension.transaction(swap(1, 2)), other.transaction(swap(2, 1))]);
  expect((await all()).map(({ note }) => note)).toEqual(["kept++", "kept++"]);
});
