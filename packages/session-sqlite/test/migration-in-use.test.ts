import { copyFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { loadDriver, openSqliteStore } from "../src/index.ts";
import { schemaVersion } from "../src/migrations.ts";
import { faultyDriver } from "../src/testing/index.ts";
import { hostIdentity, type HostIdentity } from "../src/store-file.ts";
import { leasedSession, says, temporaryPath, temporaryStore } from "./temporary-store.ts";

/** Who has left a mark. */
interface Opener {
  readonly pid: number;
  readonly host?: Partial<HostIdentity>;
}

/** A kept file of an earlier schema with the marks of these openers. */
async function markedBy(...openers: readonly Opener[]): Promise<string> {
  const path = temporaryPath();
  copyFileSync(new URL("fixtures/v3.sqlite", import.meta.url), path);
  const connection = (await loadDriver()).open(path);
  const mark = "INSERT INTO store_opener (id, host_id, boot_id, pid, opened_at) VALUES (?, ?, ?, ?, 7)";
  for (const { pid, host } of openers) {
    const { hostId, bootId } = { ...hostIdentity(), ...host };
    connection.prepare(mark).run(`of ${pid}`, hostId, bootId, pid);
  }
  connection.close();
  return path;
}

/** Has the file open as a process of the earlier release would, without a transaction. */
async function holdOpen(path: string): Promise<void> {
  const connection = (await loadDriver()).open(path);
  connection.exec("PRAGMA journal_mode = WAL");
  connection.exec("SELECT count(*) FROM session");
  onTestFinished(() => connection.close());
}

async function versionOf(path: string): Promise<unknown> {
  const connection = (await loadDriver()).open(path);
  const row = connection.prepare("PRAGMA user_version").get();
  connection.close();
  return row?.["user_version"];
}

const neverAlive = 2 ** 30;
const container = { hostId: "another container" };

test.each([
  ["a process of an earlier release", { pid: process.ppid }, `process ${process.ppid}`],
  ["one in another container", { pid: 7, host: container }, "another container"],
  ["one that has this one's number in another container", { pid: process.pid }, "another container"],
] satisfies readonly [string, Opener, string][])(
  "a file is not migrated while %s has it open",
  async (_, opener, told) => {
    const path = await markedBy({ pid: neverAlive }, opener);
    await holdOpen(path);
    const refused = { code: "in_use", message: expect.stringContaining(told) };
    await expect(openSqliteStore(path)).rejects.toMatchObject(refused);
    expect(await versionOf(path)).toBe(3);
  },
);

test("the refusal names who runs among those that left marks", async () => {
  const path = await markedBy({ pid: neverAlive }, { pid: process.ppid });
  await holdOpen(path);
  const refused = { code: "in_use", details: { path, pid: process.ppid, openedAt: 7 } };
  await expect(openSqliteStore(path, { busyTimeoutMs: 1 })).rejects.toMatchObject(refused);
  await (await openSqliteStore(path, { adoptHost: true })).close();
  expect(await versionOf(path)).toBe(schemaVersion);
  await (await openSqliteStore(path)).close(); // nothing has to change any more
});

test("marks that nobody stands behind do not keep a file from being migrated, whoever has their numbers by now", async () => {
  const path = await markedBy(
    { pid: neverAlive },
    { pid: process.pid },
    { pid: process.ppid },
    { pid: 1, host: container },
  );
  const store = await openSqliteStore(path);
  expect(await versionOf(path)).toBe(schemaVersion);
  await store.close();
});

test("a file that somebody is making a store at this moment is waited for", async () => {
  let asked = 0;
  const before = ({ sql }: { readonly sql: string }): void => {
    if (!sql.includes("store_opener") || !sql.startsWith("SELECT abs(")) return;
    asked += 1;
    if (asked === 1) throw Object.assign(new Error("database is locked"), { errcode: 5 });
  };
  const driver = faultyDriver(await loadDriver(), { before });
  const store = await openSqliteStore(temporaryPath(), { driver });
  expect((await store.listSessions()).items).toEqual([]);
  expect(asked).toBe(2);
  await store.close();
});

test("a file that another machine did not close is refused before its schema is changed", async () => {
  const path = await markedBy({ pid: 7, host: { hostId: "there", bootId: "boot-9" } });
  const refused = { code: "foreign_host", details: { path, host: "there", openedAt: 7 } };
  await expect(openSqliteStore(path)).rejects.toMatchObject(refused);
  expect(await versionOf(path)).toBe(3);
  await (await openSqliteStore(path, { adoptHost: true })).close();
  expect(await versionOf(path)).toBe(schemaVersion);
});

test("a store whose file a later release has migrated writes nothing more to it, and soon reads nothing more", async () => {
  const path = temporaryPath();
  const store = await temporaryStore({ path });
  const { id, lease } = await leasedSession(store);
  const later = (await loadDriver()).open(path);
  const append = (expectedRev: number) => store.append(id, { lease, expectedRev, messages: [says("on")] });
  const reads = [
    () => store.head(id),
    () => store.listSessions(),
    async () => {
      for await (const row of store.read(id)) return row;
      return undefined;
    },
  ];
  await append(0);
  for (const read of reads) await read();
  later.exec(`PRAGMA user_version = ${schemaVersion + 1}`);
  const refused = { code: "store_newer", details: { stored: schemaVersion + 1, supported: schemaVersion } };
  await expect(append(1)).rejects.toMatchObject(refused);
  for (const read of reads)
    await expect.poll(() => read().catch((error: unknown) => error)).toMatchObject(refused);
  later.exec(`PRAGMA user_version = ${schemaVersion}`);
  later.close();
  expect(await append(1)).toMatchObject({ rev: 2 });
  for (const read of reads) await read();
});
