import { modelMessageShape, type ModelMessage, type TranscriptShape } from "@mobkit/session";
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadDriver, openSqliteStore, openStoreFiles, type SqliteConnection } from "../src/index.ts";
import { schemaVersion } from "../src/migrations.ts";
import { leasedSession, says, temporaryDirectory, temporaryPath, temporaryStore } from "./temporary-store.ts";

/** Changes a file by a handle of its own, while no store has it open. */
async function tamper(path: string, sql: string): Promise<void> {
  const connection: SqliteConnection = (await loadDriver()).open(path);
  connection.exec(sql);
  connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  connection.close();
}

async function closedStore(): Promise<string> {
  const path = temporaryPath();
  await (await openSqliteStore(path)).close();
  return path;
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

// S29
test("a new store's directory is private and so are its files", async () => {
  const path = join(temporaryDirectory(), "state", "deeper", "store.db");
  await temporaryStore({ path });
  expect([join(path, "..", ".."), join(path, ".."), path, `${path}-wal`, `${path}-shm`].map(modeOf)).toEqual([
    "700",
    "700",
    "600",
    "600",
    "600",
  ]);
});

// S29
test("a file that others could read is tightened, a directory that anyone may change is refused", async () => {
  const path = await closedStore();
  chmodSync(path, 0o644);
  await temporaryStore({ path });
  expect(modeOf(path)).toBe("600");
  const open = join(temporaryDirectory(), "open");
  mkdirSync(open);
  chmodSync(open, 0o777);
  const refused = openSqliteStore(join(open, "store.db"));
  await expect(refused).rejects.toMatchObject({
    code: "insecure_path",
    details: { path: open, mode: "0777" },
  });
  chmodSync(open, 0o1777);
  await temporaryStore({ path: join(open, "store.db") });
});

test("the file is a WAL database that says what it is", async () => {
  const path = await closedStore();
  const connection = (await loadDriver()).open(path);
  expect(connection.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
  expect(connection.prepare("PRAGMA application_id").get()).toEqual({ application_id: 0x6d6b5353 });
  expect(connection.prepare("PRAGMA user_version").get()).toEqual({ user_version: schemaVersion });
  connection.close();
});

test("a file of another kind is refused and left as it is", async () => {
  const directory = temporaryDirectory();
  const text = join(directory, "notes.txt");
  writeFileSync(text, "just some notes, long enough to be no database header\n".repeat(40));
  const foreign = join(directory, "other.db");
  await tamper(foreign, "CREATE TABLE theirs (a)");
  for (const path of [text, foreign]) {
    const before = readFileSync(path);
    await expect(openSqliteStore(path)).rejects.toMatchObject({ code: "not_a_store", details: { path } });
    expect(readFileSync(path).equals(before)).toBe(true);
  }
  await expect(openSqliteStore(directory)).rejects.toMatchObject({ code: "not_a_store" });
});

// Node's recursive mkdir never returns below /proc.
test("a directory that cannot be made refuses, whoever denies it", async () => {
  const file = join(temporaryDirectory(), "file");
  writeFileSync(file, "");
  const places = [join(file, "below", "store.db"), "/proc/nobody/below/store.db"];
  for (const path of places) {
    await expect(openSqliteStore(path)).rejects.toMatchObject({ code: "not_a_store", details: { path } });
  }
});

test("a store of a later release is refused naming both versions, and is left as it is", async () => {
  const path = await closedStore();
  await tamper(path, "PRAGMA user_version = 7");
  const before = readFileSync(path);
  const refused = openSqliteStore(path);
  await expect(refused).rejects.toMatchObject({
    code: "store_newer",
    details: { stored: 7, supported: schemaVersion },
  });
  await expect(refused).rejects.toThrow(`version 7, and this release knows up to ${schemaVersion}`);
  expect(readFileSync(path).equals(before)).toBe(true);
  await tamper(path, `PRAGMA user_version = ${schemaVersion}`);
  await temporaryStore({ path });
});

// D19
test("a store keeps the name of its shape and opens with no other", async () => {
  const path = await closedStore();
  const other: TranscriptShape<ModelMessage> = { ...modelMessageShape, name: "other@1" };
  const refused = openSqliteStore(path, { shape: other });
  const details = { stored: modelMessageShape.name, given: "other@1" };
  await expect(refused).rejects.toMatchObject({ code: "shape_mismatch", details });
  await temporaryStore({ path });
});

test("a file is open once in a process, by whatever name", async () => {
  const path = temporaryPath();
  const alias = join(path, "..", "alias.db");
  const store = await openSqliteStore(path);
  symlinkSync(path, alias);
  for (const name of [path, alias]) {
    await expect(openSqliteStore(name)).rejects.toMatchObject({
      code: "already_open",
      details: { path: name },
    });
  }
  const { dev: device, ino: inode } = statSync(path);
  expect(openStoreFiles()).toContainEqual({ path, device, inode });
  await store.close();
  expect(openStoreFiles()).not.toContainEqual({ path, device, inode });
  await temporaryStore({ path: alias });
});

test("a failed open lets go of the file", async () => {
  const path = await closedStore();
  await tamper(path, "PRAGMA user_version = 7");
  const refused = { code: "store_newer" };
  await expect(openSqliteStore(path)).rejects.toMatchObject(refused);
  await expect(openSqliteStore(path)).rejects.toMatchObject(refused);
});

test("a closed store refuses, closing twice is allowed, and waiting writes are ended first", async () => {
  const store = await openSqliteStore(temporaryPath());
  const created = store.createSession({ member: "planner", role: "general" });
  await Promise.all([store.close(), store.close()]);
  await expect(created).resolves.toMatchObject({ state: "ready" });
  const closed = { code: "store_unavailable", details: { reason: "closed" } };
  await expect(store.listSessions()).rejects.toMatchObject(closed);
  await expect(store.createSession({ member: "b", role: "general" })).rejects.toMatchObject(closed);
});

test("a read-only store reads and never writes", async () => {
  const path = temporaryPath();
  await expect(openSqliteStore(path, { readOnly: true })).rejects.toMatchObject({ code: "not_a_store" });
  const store = await openSqliteStore(path);
  const { id, lease } = await leasedSession(store);
  await store.append(id, { lease, expectedRev: 0, messages: [says("a")] });
  await store.close();
  const reader = await temporaryStore({ path, readOnly: true });
  expect((await reader.listSessions()).items.map((session) => session.len)).toEqual([1]);
  const write = reader.append(id, { lease, expectedRev: 1, messages: [says("b")] });
  await expect(write).rejects.toMatchObject({ code: "store_unavailable", details: { reason: "read_only" } });
});

test("an aborted open does nothing", async () => {
  const path = temporaryPath();
  const opening = openSqliteStore(path, { signal: AbortSignal.abort(new Error("no more")) });
  await expect(opening).rejects.toThrow("no more");
  expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
});
