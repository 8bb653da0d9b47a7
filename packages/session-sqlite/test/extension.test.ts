import { expect, test } from "vitest";
import { openSqliteStore, type StoreExtensionSpec } from "../src/index.ts";
import { schemaVersions } from "../src/schema.ts";
import { leasedSession, says, temporaryPath, temporaryStore } from "./temporary-store.ts";

const runtime: StoreExtensionSpec = {
  name: "runtime",
  migrations: ["CREATE TABLE runtime_intent (id TEXT PRIMARY KEY, amount INTEGER) STRICT"],
};
const insert = "INSERT INTO runtime_intent (id, amount) VALUES (?, ?)";
const countIntents = "SELECT count(*) AS n FROM runtime_intent";

// D20
test("a namespace has its own version, and its migrations run once", async () => {
  const path = temporaryPath();
  const store = await openSqliteStore(path);
  const first = await store.extend(runtime);
  expect(first).toMatchObject({ name: "runtime", version: 1 });
  await first.transaction(({ sql }) => sql.run(insert, ["a", 1]));
  await store.close();
  const again = await temporaryStore({ path });
  const second = await again.extend({
    ...runtime,
    migrations: [...runtime.migrations, "ALTER TABLE runtime_intent ADD COLUMN note TEXT"],
  });
  expect(second.version).toBe(2);
  expect(await second.read(({ sql }) => sql.get("SELECT id, note FROM runtime_intent"))).toEqual({
    id: "a",
    note: null,
  });
  const older = again.extend(runtime);
  await expect(older).rejects.toMatchObject({ code: "invalid_extension", details: { name: "runtime" } });
});

test("a migration that fails, or leaves its namespace, changes nothing", async () => {
  const store = await temporaryStore();
  const broken = store.extend({
    name: "runtime",
    migrations: [...runtime.migrations, "CREATE TABLE runtime_x (", ""],
  });
  await expect(broken).rejects.toMatchObject({
    code: "migration_failed",
    details: { name: "runtime", version: 2 },
  });
  for (const script of [
    "CREATE TABLE elsewhere (a)",
    "ALTER TABLE session ADD COLUMN x TEXT",
    "CREATE INDEX x ON session (rev)",
  ]) {
    const outside = store.extend({ name: "runtime", migrations: [...runtime.migrations, script] });
    await expect(outside).rejects.toMatchObject({ code: "invalid_extension" });
  }
  expect(await store.extend(runtime)).toMatchObject({ version: 1 });
});

test("a migration that ends the transaction is refused, and leaves no table behind", async () => {
  const store = await temporaryStore();
  const ending = store.extend({ name: "runtime", migrations: ["CREATE TABLE runtime_a (x); COMMIT;"] });
  await expect(ending).rejects.toMatchObject({ code: "invalid_extension" });
  await store.extend({ name: "runtime", migrations: ["CREATE TABLE runtime_a (x)"] });
  const { id, lease } = await leasedSession(store);
  await expect(store.append(id, { lease, expectedRev: 0, messages: [says("a")] })).resolves.toMatchObject({
    len: 1,
  });
});

test("a migration that would make the file unreadable or hide the store's rows is refused", async () => {
  const path = temporaryPath();
  const store = await openSqliteStore(path);
  const session = await store.createSession({ member: "planner", role: "general" });
  for (const script of [
    "PRAGMA user_version = 77",
    "CREATE TABLE runtime_a (x); pragma application_id = 5",
    "CREATE TEMP TABLE message (x)",
    "CREATE TABLE runtime_a (x); DELETE FROM session",
    "INSERT INTO store_meta VALUES ('a', 'b')",
    5 as never,
  ]) {
    const refused = store.extend({ name: "runtime", migrations: [script] });
    await expect(refused).rejects.toMatchObject({ code: "invalid_extension" });
  }
  await expect(store.extend({ name: "runtime" } as never)).rejects.toMatchObject({
    code: "invalid_extension",
  });
  await expect(store.extend({ migrations: [] } as never)).rejects.toMatchObject({
    code: "invalid_extension",
  });
  await store.close();
  expect((await (await temporaryStore({ path })).listSessions()).items).toEqual([session]);
});

test("a name that isn't one, or that the store's own tables begin with, is refused", async () => {
  const store = await temporaryStore();
  const own = new Set(schemaVersions.join("\n").match(/(?<=CREATE (?:TABLE|INDEX|TRIGGER) )[a-z]+/g));
  expect(own.size).toBeGreaterThan(8);
  for (const name of [...own, "Runtime", "run_time", "", "1st", "sqlite", "x".repeat(33)]) {
    await expect(store.extend({ name, migrations: [] })).rejects.toMatchObject({ code: "invalid_extension" });
  }
  await expect(store.extend({ name: "x".repeat(32), migrations: [] })).resolves.toMatchObject({ version: 0 });
});

// S28
test("an append and the host's own row are one transaction", async () => {
  const store = await temporaryStore();
  const intents = await store.extend(runtime);
  const { id, lease } = await leasedSession(store);
  const intent = (amount: number) => ({
    lease,
    expectedRev: 0,
    messages: [says("a")],
    join: ({ sql }: Parameters<Parameters<typeof intents.transaction>[0]>[0]) =>
      void sql.run(insert, ["i", amount]),
  });
  await expect(
    store.append(id, { ...intent(1), messages: [{ role: "nobody", content: "" } as never] }),
  ).rejects.toMatchObject({
    code: "invalid_message",
  });
  await expect(store.append(id, { ...intent(1), expectedRev: 5 })).rejects.toMatchObject({
    code: "revision_conflict",
  });
  expect(await intents.read(({ sql }) => sql.get(countIntents))).toEqual({ n: 0 });
  await store.append(id, intent(1));
  expect(await intents.read(({ sql }) => sql.get(countIntents))).toEqual({ n: 1 });
  await expect(store.append(id, { ...intent(2), expectedRev: 1 })).rejects.toThrow(/UNIQUE/);
  expect((await store.head(id)).len).toBe(1);
});

// S28
test("consuming an approval and noting the intent are one transaction on the session's fence", async () => {
  const store = await temporaryStore();
  const intents = await store.extend(runtime);
  const { id, lease } = await leasedSession(store);
  const seen = await store.transact(lease, ({ session, sql }) => {
    sql.run(insert, ["redeemed", 1]);
    return session.rev;
  });
  expect(seen).toBe(0);
  await store.releaseLease(lease);
  const late = store.transact(lease, ({ sql }) => sql.run(insert, ["late", 1]));
  await expect(late).rejects.toMatchObject({ code: "stale_fence", details: { sessionId: id } });
  const unknown = store.transact({ ...lease, sessionId: "nobody" }, () => undefined);
  await expect(unknown).rejects.toMatchObject({ code: "unknown_session" });
  expect(await intents.read(({ sql }) => sql.get(countIntents))).toEqual({ n: 1 });
});

test("what a transaction's callback throws undoes all of it, and reaches the caller", async () => {
  const store = await temporaryStore();
  const intents = await store.extend(runtime);
  const failing = intents.transaction(({ sql }) => {
    sql.run(insert, ["a", 1]);
    throw new RangeError("no");
  });
  await expect(failing).rejects.toThrow(RangeError);
  expect(await intents.read(({ sql }) => sql.get(countIntents))).toEqual({ n: 0 });
});

test("a callback that answers a promise is refused and undone", async () => {
  const store = await temporaryStore();
  const intents = await store.extend(runtime);
  const waiting = intents.transaction(async ({ sql }) => {
    sql.run(insert, ["a", 1]);
    await Promise.resolve();
    sql.run(insert, ["b", 1]);
  });
  await expect(waiting).rejects.toMatchObject({ code: "invalid_request", details: { field: "transaction" } });
  expect(await intents.read(({ sql }) => sql.get(countIntents))).toEqual({ n: 0 });
});

test("a callback can neither end the transaction, nor call the store, nor keep its SQL", async () => {
  const store = await temporaryStore();
  const intents = await store.extend(runtime);
  for (const text of [
    "COMMIT",
    " -- x\n rollback",
    "/* x */ PRAGMA user_version = 9",
    "attach 'x' as y",
    "BEGIN",
    "; COMMIT",
    "/* x */;;-- y\n; PRAGMA user_version = 9",
    "INSERT OR ROLLBACK INTO runtime_intent (id) VALUES ('a')",
  ]) {
    const step = intents.transaction(({ sql }) => sql.run(text));
    await expect(step).rejects.toMatchObject({ code: "invalid_sql" });
  }
  let inner: Promise<unknown> | undefined;
  const kept = await intents.transaction(({ sql }) => {
    inner = store.listSessions();
    inner.catch(() => undefined);
    return sql;
  });
  await expect(inner).rejects.toMatchObject({
    code: "store_unavailable",
    details: { reason: "in_transaction" },
  });
  expect(() => kept.get("SELECT 1")).toThrow(/has ended/);
});

test("integers beyond 2^53 are read as bigints where asked for", async () => {
  const store = await temporaryStore();
  const intents = await store.extend(runtime);
  await intents.transaction(({ sql }) => sql.run(insert, ["a", 2n ** 60n]));
  const select = "SELECT amount FROM runtime_intent";
  const [row] = await intents.read(({ sql }) => sql.all(select, [], { bigints: true }));
  expect(row).toEqual({ amount: 2n ** 60n });
  await expect(intents.read(({ sql }) => sql.get(select))).rejects.toThrow(/too large/i);
});

test("what a read writes is gone", async () => {
  const store = await temporaryStore();
  const intents = await store.extend(runtime);
  await intents.read(({ sql }) => sql.run(insert, ["a", 1]));
  expect(await intents.read(({ sql }) => sql.get(countIntents))).toEqual({ n: 0 });
});
