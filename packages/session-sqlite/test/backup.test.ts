import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadDriver, type SqliteDriver } from "../src/index.ts";
import { faultyDriver } from "../src/testing/index.ts";
import { contentsOf } from "./store-contents.ts";
import { leasedSession, says, temporaryDirectory, temporaryStore } from "./temporary-store.ts";

/** A driver that has no backup of its own, as on older Node versions. */
async function plainDriver(): Promise<SqliteDriver> {
  const driver = await loadDriver();
  return {
    ...driver,
    open: (path, options) => ({ ...driver.open(path, options), backup: undefined }),
  };
}

const target = (): string => join(temporaryDirectory(), "copy.db");

const drivers: readonly (readonly [string, () => Promise<SqliteDriver>])[] = [
  ["the driver's own backup, where it has one", loadDriver],
  ["VACUUM INTO", plainDriver],
];

describe.each(drivers)("a backup by %s", (_, makeDriver) => {
  test("is a store by itself that tells all that the store told", async () => {
    const store = await temporaryStore({ driver: await makeDriver() });
    const session = await leasedSession(store);
    const blob = await store.blobs.put("a blob");
    const messages = [says("a"), says("b".repeat(20_000))];
    await store.append(session.id, { lease: session.lease, expectedRev: 0, messages });
    const copy = await store.backup(target());
    expect(copy).toMatchObject({ bytes: statSync(copy.path).size, generation: 0 });
    expect((statSync(copy.path).mode & 0o777).toString(8)).toBe("600");
    expect(readdirSync(dirname(copy.path))).toEqual(["copy.db"]);
    const restored = await temporaryStore({ path: copy.path });
    expect(await contentsOf(restored, [blob.digest])).toEqual(await contentsOf(store, [blob.digest]));
    const on = { lease: session.lease, expectedRev: 1, messages: [says("on")] };
    expect((await restored.append(session.id, on)).len).toBe(3);
    expect((await store.head(session.id)).len).toBe(2);
  });

  test("is of one moment while writes go on", async () => {
    const store = await temporaryStore({ driver: await makeDriver() });
    const session = await leasedSession(store);
    const messages = Array.from({ length: 200 }, (_item, index) => says(`${index} `.repeat(2000)));
    let { rev } = await store.append(session.id, { lease: session.lease, expectedRev: 0, messages });
    const copying = store.backup(target());
    for (let round = 0; round < 50; round += 1) {
      const one = { lease: session.lease, expectedRev: rev, messages: [says(`late ${round}`)] };
      ({ rev } = await store.append(session.id, one));
    }
    const restored = await temporaryStore({ path: (await copying).path });
    const { len, headDigest } = await restored.head(session.id);
    expect(len).toBeGreaterThanOrEqual(200);
    expect((await store.prefix(session.id, len)).digest).toBe(headDigest);
    const rows = [];
    for await (const row of restored.read(session.id)) rows.push(row);
    expect(rows).toHaveLength(len);
  });
});

/** A driver under whose first backup a write transaction is open for a moment, as when a write is under way. */
function writingDriver(driver: SqliteDriver): SqliteDriver {
  return {
    ...driver,
    open(path, options) {
      const inner = driver.open(path, options);
      let writes = true;
      const backup = (target: string): Promise<unknown> => {
        if (writes) {
          inner.exec("BEGIN IMMEDIATE; DELETE FROM store_opener");
          setTimeout(() => inner.exec("ROLLBACK"), 20);
        }
        writes = false;
        return inner.backup!(target);
      };
      return { ...inner, backup: inner.backup && backup };
    },
  };
}

test("a backup that begins while a write is under way waits for it", async () => {
  const store = await temporaryStore({ driver: writingDriver(await loadDriver()) });
  await leasedSession(store);
  const restored = await temporaryStore({ path: (await store.backup(target())).path });
  expect((await restored.listSessions()).items).toHaveLength(1);
});

test("a backup that meets a lock goes on once it has gone, and says so when it stays", async () => {
  // As node:sqlite tells it.
  const locked = Object.assign(new Error("not an error"), { code: "ERR_SQLITE_ERROR", errcode: 0 });
  let left = 3;
  const plan = {
    before: ({ operation, sql }: { operation: string; sql: string }) => {
      if ((operation === "backup" || sql.startsWith("VACUUM INTO")) && left > 0) {
        left -= 1;
        throw locked;
      }
    },
  };
  const store = await temporaryStore({ driver: faultyDriver(await loadDriver(), plan), busyTimeoutMs: 5000 });
  await store.backup(target());
  expect(left).toBe(0);
  left = Number.POSITIVE_INFINITY;
  const impatient = await temporaryStore({
    driver: faultyDriver(await loadDriver(), plan),
    busyTimeoutMs: 10,
  });
  const path = target();
  await expect(impatient.backup(path)).rejects.toMatchObject({
    code: "busy",
    message: expect.stringContaining(path),
  });
  expect(readdirSync(dirname(path))).toEqual([]);
});

test("closing a store waits for its backup", async () => {
  const store = await temporaryStore();
  await leasedSession(store);
  const copying = store.backup(target());
  await store.close();
  const restored = await temporaryStore({ path: (await copying).path });
  expect((await restored.listSessions()).items).toHaveLength(1);
});

test("a backup never takes another file's place, and says why there is none", async () => {
  const store = await temporaryStore();
  const taken = target();
  writeFileSync(taken, "something else");
  const directory = join(temporaryDirectory(), "missing");
  for (const [path, reason] of [
    [taken, "there is a file of that name"],
    [store.path, "there is a file of that name"],
    [join(directory, "copy.db"), "its directory takes no file"],
  ] as const) {
    await expect(store.backup(path)).rejects.toMatchObject({
      code: "backup_failed",
      details: { path, reason },
    });
  }
  mkdirSync(directory);
  await store.backup(join(directory, "copy.db"));
});

test.each(drivers)("a copy by %s that fails half-way leaves nothing behind", async (_, makeDriver) => {
  let failing = true;
  const plan = {
    before: ({ operation, sql }: { operation: string; sql: string }) => {
      if (failing && (operation === "backup" || sql.startsWith("VACUUM INTO"))) {
        throw Object.assign(new Error("disk full"), { code: "SQLITE_FULL" });
      }
    },
  };
  const store = await temporaryStore({ driver: faultyDriver(await makeDriver(), plan) });
  const path = target();
  const refused = { code: "store_unavailable", details: { reason: "full" } };
  await expect(store.backup(path)).rejects.toMatchObject(refused);
  expect(readdirSync(dirname(path))).toEqual([]);
  failing = false;
  await store.backup(path);
  await expect(store.backup(target(), { signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow("no");
});
