import { expect, test } from "vitest";
import { loadDriver, openSqliteStore, type DatabaseHandle, type SqlValue } from "../src/index.ts";
import { leasedSession, says, temporaryPath } from "./temporary-store.ts";

/** A handle in the shape of better-sqlite3: bigints by `safeIntegers`, errors by name. */
async function namedHandle(path: string): Promise<DatabaseHandle & { readonly closed: () => boolean }> {
  const connection = (await loadDriver()).open(path);
  let closed = false;
  const named = <T>(act: () => T): T => {
    try {
      return act();
    } catch (error) {
      throw Object.assign(new Error(String(error)), { code: "SQLITE_ERROR" });
    }
  };
  return {
    exec: (sql) => named(() => connection.exec(sql)),
    prepare(sql) {
      let bigints = false;
      const statement = () => connection.prepare(sql, { bigints });
      return {
        run: (...values: SqlValue[]) => ({ changes: named(() => statement().run(...values)) }),
        get: (...values: SqlValue[]) => named(() => statement().get(...values)),
        all: (...values: SqlValue[]) => named(() => [...statement().all(...values)]),
        safeIntegers: (enabled) => void (bigints = enabled),
      };
    },
    close() {
      closed = true;
      connection.close();
    },
    closed: () => closed,
  };
}

test("a caller's own handle serves as the store's connection and stays open when the store closes", async () => {
  const path = temporaryPath();
  const database = await namedHandle(path);
  const store = await openSqliteStore(path, { database });
  const { id, lease } = await leasedSession(store);
  await store.append(id, { lease, expectedRev: 0, messages: [says("a")] });
  const numbers = await store.extend({
    name: "numbers",
    migrations: ["CREATE TABLE numbers_of (n INTEGER) STRICT"],
  });
  await numbers.transaction(({ sql }) => sql.run("INSERT INTO numbers_of VALUES (?)", [2n ** 60n]));
  expect(await numbers.read(({ sql }) => sql.get("SELECT n FROM numbers_of", [], { bigints: true }))).toEqual(
    { n: 2n ** 60n },
  );
  await store.close();
  expect(database.closed()).toBe(false);
  expect(database.prepare("SELECT len FROM session").get()).toEqual({ len: 1 });
  database.close();
});

test("a handle on another file than the path is refused", async () => {
  const database = await namedHandle(temporaryPath());
  const path = temporaryPath();
  await expect(openSqliteStore(path, { database })).rejects.toMatchObject({
    code: "handle_mismatch",
    details: { path },
  });
  database.close();
});
