import { copyFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { markOpen } from "../src/host-marker.ts";
import { inspectStoreFile, loadDriver, openSqliteStore } from "../src/index.ts";
import { schemaVersion } from "../src/migrations.ts";
import { StoreConnection } from "../src/store-connection.ts";
import { temporaryPath, temporaryStore } from "./temporary-store.ts";

/** A closed store with a session of three messages and a deleted one. */
async function closedStore(): Promise<string> {
  const path = temporaryPath();
  const store = await openSqliteStore(path);
  const { id } = await store.createSession({ member: "a", role: "r" });
  const lease = await store.acquireLease(id, { owner: "t", ttlMs: 1000 });
  const messages = ["one", "two", "three"].map((content) => ({ role: "user" as const, content }));
  await store.append(id, { lease, expectedRev: 0, messages });
  await store.setState((await store.createSession({ member: "b", role: "r" })).id, { state: "tombstone" });
  await store.blobs.put("twelve bytes");
  await store.close();
  return path;
}

async function connectionOn(path: string): Promise<StoreConnection> {
  return new StoreConnection({ path, driver: await loadDriver(), readOnly: false, busyTimeoutMs: 1000 });
}

test("a file that is not there is told, and not made", async () => {
  const path = temporaryPath();
  expect(await inspectStoreFile(path)).toMatchObject({
    exists: false,
    bytes: 0,
    mode: undefined,
    problem: undefined,
  });
  expect(readdirSync(dirname(path))).toEqual([]);
});

test("a closed store tells its version, shape and contents, and stays as it is", async () => {
  const path = await closedStore();
  const before = readFileSync(path);
  expect(await inspectStoreFile(path)).toMatchObject({
    exists: true,
    bytes: statSync(path).size,
    mode: "0600",
    schemaVersion,
    supportedVersion: schemaVersion,
    openers: [],
    problem: undefined,
    damage: undefined,
    contents: {
      sessions: { ready: 1, tombstone: 1, pending: 0, archived: 0, quarantined: 0 },
      messages: 3,
      blobs: 1,
      blobBytes: 12,
      waitingEvents: 0,
      unseatedForks: 0,
      generation: 0,
    },
  });
  expect(readFileSync(path).equals(before)).toBe(true);
  expect((await inspectStoreFile(path, { deep: true })).damage).toBe("ok");
});

test("a file that this process has open is not read a second time", async () => {
  const store = await temporaryStore();
  const report = await inspectStoreFile(store.path);
  expect(report).toMatchObject({ exists: true, contents: undefined, problem: "this process has it open" });
});

// S30
test("marks of processes are told: of this one, of one that is gone, of another machine", async () => {
  const path = await closedStore();
  const connection = await connectionOn(path);
  const mark = "INSERT INTO store_opener (id, host_id, boot_id, pid, opened_at) VALUES (?, ?, ?, ?, ?)";
  markOpen(connection, { now: 1 });
  const { host_id: host, boot_id: boot } = connection.statement("SELECT * FROM store_opener").get()!;
  connection.statement(mark).run("gone", host!, boot!, 2 ** 22 + 1, 2);
  connection.statement(mark).run("there", "another machine", "another boot", 7, 3);
  connection.close();
  expect((await inspectStoreFile(path)).openers).toMatchObject([
    { isHere: true, pid: process.pid, isAlive: true, openedAt: 1 },
    { isHere: true, isAlive: false },
    { hostId: "another machine", isHere: false, isAlive: undefined },
  ]);
});

test("what is no store is told as such, and what a newer or older release wrote by its version", async () => {
  const path = temporaryPath();
  writeFileSync(
    path,
    "no database, but long enough to be read as the header of one, and then some more text".repeat(40),
  );
  expect((await inspectStoreFile(path)).problem).toContain("damaged");
  const other = temporaryPath();
  const connection = (await loadDriver()).open(other);
  connection.exec("CREATE TABLE t (x)");
  connection.close();
  expect((await inspectStoreFile(other)).problem).toBe("it is no session store");
  const newer = await closedStore();
  const raw = await connectionOn(newer);
  raw.exec("PRAGMA user_version = 99");
  raw.close();
  expect(await inspectStoreFile(newer)).toMatchObject({
    schemaVersion: 99,
    problem: "a newer release wrote it",
  });
  const older = temporaryPath();
  copyFileSync(fileURLToPath(new URL("fixtures/v1.sqlite", import.meta.url)), older);
  expect(await inspectStoreFile(older)).toMatchObject({
    schemaVersion: 1,
    contents: undefined,
    problem: undefined,
  });
});

test("damage is found by reading all of it", async () => {
  const path = await closedStore();
  const { size } = statSync(path);
  truncateSync(path, size - 8192);
  const report = await inspectStoreFile(path, { deep: true });
  expect(`${report.problem ?? ""}${report.damage ?? ""}`).toMatch(
    /damaged|malformed|beyond|out of|disk image|page/i,
  );
});

test("a directory in the file's place is told", async () => {
  const path = dirname(temporaryPath());
  expect((await inspectStoreFile(path)).problem).toBeDefined();
});
