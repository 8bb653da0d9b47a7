import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { driverFailure } from "../src/driver.ts";
import { loadDriver, openSqliteStore } from "../src/index.ts";
import { hasUsableSqlite, loadPeer } from "../src/load-driver.ts";
import { faultyDriver, type DriverStep } from "../src/testing/index.ts";
import { temporaryPath } from "./temporary-store.ts";

test("node:sqlite is used from 22.13 on and not before", () => {
  const versions = ["20.19.0", "22.12.0", "22.13.0", "23.4.0", "24.0.0"];
  expect(versions.map(hasUsableSqlite)).toEqual([false, false, true, true, true]);
});

test("a missing stand-in is a set-up error naming package and version", async () => {
  const reason = "No native build was found for platform=linux";
  const missing = loadPeer(() => Promise.reject(new Error(`${reason}\n    loaded from: /x`)));
  await expect(missing).rejects.toMatchObject({
    name: "SqliteStoreError",
    code: "driver_missing",
    details: { package: "@photostructure/sqlite", version: "^1.2.1", node: process.versions.node },
  });
  await expect(missing).rejects.toThrow("install @photostructure/sqlite@^1.2.1, run Node 22.13 or later");
  await expect(missing).rejects.toThrow(`(${reason})`);
});

test("the platform's driver is loaded once and warns nobody", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): number => warnings.push(warning);
  process.on("warning", note);
  const driver = await loadDriver();
  expect(await loadDriver()).toBe(driver);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

test("a statement answers changes, rows and, when asked, bigints", async () => {
  const connection = (await loadDriver()).open(temporaryPath());
  connection.exec("CREATE TABLE t (a INTEGER, b BLOB)");
  expect(
    connection.prepare("INSERT INTO t VALUES (?, ?), (?, ?)").run(1, null, 2n ** 60n, Uint8Array.of(7)),
  ).toBe(2);
  const all = "SELECT a, b FROM t ORDER BY a";
  expect(connection.prepare(all, { bigints: true }).all()).toEqual([
    { a: 1n, b: null },
    { a: 2n ** 60n, b: Uint8Array.of(7) },
  ]);
  expect(() => connection.prepare(all).all()).toThrow(/too large/i);
  expect(connection.prepare(all).get()).toEqual({ a: 1, b: null });
  connection.close();
});

test("a failure whose number the driver has lost is told by SQLite's sentence", () => {
  const lost = (message: string): unknown => Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR" });
  const sentences = ["database disk image is malformed", "database or disk is full", "no such table: t"];
  expect(sentences.map((sentence) => driverFailure(lost(sentence)))).toEqual(["corrupt", "full", "other"]);
});

test("damage that is met while rows are read is a damaged store", async () => {
  const store = await openSqliteStore(temporaryPath());
  const { id } = await store.createSession({ member: "planner", role: "general" });
  const lease = await store.acquireLease(id, { owner: "test", ttlMs: 60_000 });
  const messages = Array.from({ length: 50 }, (_, at) => ({
    role: "user" as const,
    content: `row ${at} `.repeat(40),
  }));
  await store.append(id, { lease, expectedRev: 0, messages });
  await store.close();
  const bytes = readFileSync(store.path);
  const page = Math.floor(bytes.indexOf("row 30 ") / 4096) * 4096;
  bytes.fill(0xff, page, page + 200);
  writeFileSync(store.path, bytes);
  const damaged = await openSqliteStore(store.path);
  const reading = (async () => {
    for await (const row of damaged.read(id)) void row;
  })();
  await expect(reading).rejects.toMatchObject({ code: "store_corrupt" });
  await damaged.close();
});

test("failures are told apart, as node:sqlite and as better-sqlite3 report them", () => {
  const byNumber = [5, 6, 10 | (4 << 8), 11, 13, 14, 19 | (8 << 8), 26, 8, 1].map((errcode) =>
    driverFailure({ errcode }),
  );
  expect(byNumber).toEqual([
    "busy",
    "busy",
    "io",
    "corrupt",
    "full",
    "cannot_open",
    "constraint",
    "not_a_database",
    "read_only",
    "other",
  ]);
  const byName = [
    "SQLITE_BUSY_SNAPSHOT",
    "SQLITE_IOERR_FSYNC",
    "SQLITE_CONSTRAINT_UNIQUE",
    "SQLITE_FULL",
    "SQLITE_ERROR",
  ];
  expect(byName.map((code) => driverFailure({ code }))).toEqual([
    "busy",
    "io",
    "constraint",
    "full",
    "other",
  ]);
  expect([undefined, "x", new Error("x"), { code: "ENOENT" }].map(driverFailure)).toEqual(
    Array(4).fill("other"),
  );
});

test("a real driver's errors are among them", async () => {
  const driver = await loadDriver();
  const path = temporaryPath();
  const [one, other] = [driver.open(path), driver.open(path)];
  one.exec("CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)");
  one.exec("BEGIN IMMEDIATE");
  other.exec("PRAGMA busy_timeout = 0");
  expect(failureOf(() => other.exec("BEGIN IMMEDIATE"))).toBe("busy");
  expect(failureOf(() => one.exec("INSERT INTO t VALUES (1)"))).toBe("constraint");
  one.exec("ROLLBACK");
  const reader = driver.open(path, { readOnly: true });
  expect(failureOf(() => reader.exec("INSERT INTO t VALUES (2)"))).toBe("read_only");
  for (const each of [one, other, reader]) each.close();
});

test("a faulty driver asks its plan around each step", async () => {
  const steps: DriverStep[] = [];
  const lost = new Error("the answer was lost");
  const driver = faultyDriver(await loadDriver(), {
    before: (step) => void steps.push(step),
    after: ({ sql }) => {
      if (sql.startsWith("INSERT")) throw lost;
    },
  });
  const connection = driver.open(temporaryPath());
  connection.exec("CREATE TABLE t (a)");
  expect(() => connection.prepare("INSERT INTO t VALUES (1)").run()).toThrow(lost);
  expect(connection.prepare("SELECT a FROM t").all()).toEqual([{ a: 1 }]);
  connection.close();
  expect(steps.map(({ operation, number }) => `${number} ${operation}`)).toEqual([
    "1 open",
    "2 exec",
    "3 run",
    "4 all",
    "5 close",
  ]);
});

function failureOf(act: () => void): string {
  try {
    act();
    return "none";
  } catch (error) {
    return driverFailure(error);
  }
}
