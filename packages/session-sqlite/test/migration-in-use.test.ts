import { copyFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadDriver, openSqliteStore } from "../src/index.ts";
import { schemaVersion } from "../src/migrations.ts";
import { hostIdentity } from "../src/store-file.ts";
import { leasedSession, says, temporaryPath, temporaryStore } from "./temporary-store.ts";

/** A kept file of an earlier schema that processes of these numbers have open. */
async function openedBy(...pids: readonly number[]): Promise<string> {
  const path = temporaryPath();
  copyFileSync(new URL("fixtures/v3.sqlite", import.meta.url), path);
  const { hostId, bootId } = hostIdentity();
  const connection = (await loadDriver()).open(path);
  const mark = "INSERT INTO store_opener (id, host_id, boot_id, pid, opened_at) VALUES (?, ?, ?, ?, 7)";
  for (const pid of pids) connection.prepare(mark).run(`of ${pid}`, hostId, bootId, pid);
  connection.close();
  return path;
}

async function versionOf(path: string): Promise<unknown> {
  const connection = (await loadDriver()).open(path);
  const row = connection.prepare("PRAGMA user_version").get();
  connection.close();
  return row?.["user_version"];
}

const neverAlive = 2 ** 30;

test("a file is not migrated while a process of an earlier release has it open", async () => {
  const path = await openedBy(neverAlive, process.ppid);
  const refused = { code: "in_use", details: { path, pid: process.ppid, openedAt: 7 } };
  await expect(openSqliteStore(path)).rejects.toMatchObject(refused);
  expect(await versionOf(path)).toBe(3);
  await (await openSqliteStore(path, { adoptHost: true })).close();
  expect(await versionOf(path)).toBe(schemaVersion);
  await (await openSqliteStore(path)).close(); // nothing has to change any more
});

test("marks of ended processes, and of this one's number, do not keep a file from being migrated", async () => {
  const path = await openedBy(neverAlive, process.pid);
  await (await openSqliteStore(path)).close();
  expect(await versionOf(path)).toBe(schemaVersion);
});

test("a store whose file a later release has migrated writes nothing more to it", async () => {
  const path = temporaryPath();
  const store = await temporaryStore({ path });
  const { id, lease } = await leasedSession(store);
  const later = (await loadDriver()).open(path);
  const append = (expectedRev: number) => store.append(id, { lease, expectedRev, messages: [says("on")] });
  await append(0);
  later.exec(`PRAGMA user_version = ${schemaVersion + 1}`);
  const refused = { code: "store_newer", details: { stored: schemaVersion + 1, supported: schemaVersion } };
  await expect(append(1)).rejects.toMatchObject(refused);
  later.exec(`PRAGMA user_version = ${schemaVersion}`);
  later.close();
  expect(await append(1)).toMatchObject({ rev: 2 });
});
