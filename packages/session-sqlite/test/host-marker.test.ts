import { expect, test } from "vitest";
import { loadDriver, openSqliteStore } from "../src/index.ts";
import { markOpen } from "../src/host-marker.ts";
import { StoreConnection } from "../src/store-connection.ts";
import { networkFileSystem } from "../src/file-system.ts";
import { temporaryPath } from "./temporary-store.ts";

const here = { hostId: "here", bootId: "boot-1" };

/** A connection on a store's file that no store has open, for marks of invented machines. */
async function openerTable(): Promise<StoreConnection> {
  const path = temporaryPath();
  await (await openSqliteStore(path)).close();
  return new StoreConnection({ path, driver: await loadDriver(), readOnly: false, busyTimeoutMs: 1000 });
}

const count = (connection: StoreConnection): unknown =>
  connection.statement("SELECT count(*) AS n FROM store_opener").get()?.["n"];

// S30
test("a file that another machine has not closed is refused with a hint, and can be adopted", async () => {
  const connection = await openerTable();
  markOpen(connection, { host: { hostId: "there", bootId: "boot-9" }, now: 7 });
  const refused = { code: "foreign_host", details: { path: connection.path, host: "there", openedAt: 7 } };
  expect(() => markOpen(connection, { host: here, now: 8 })).toThrow(expect.objectContaining(refused));
  expect(() => markOpen(connection, { host: here, now: 8 })).toThrow(/session-postgres/);
  markOpen(connection, { host: here, now: 9, adoptHost: true });
  expect(count(connection)).toBe(1);
  markOpen(connection, { host: here, now: 10 });
  connection.close();
});

// S30
test("marks of an earlier boot are swept, and one kernel may hold several hosts", async () => {
  const connection = await openerTable();
  markOpen(connection, { host: { ...here, bootId: "boot-0" }, now: 1 });
  markOpen(connection, { host: here, now: 2 });
  expect(count(connection)).toBe(1);
  markOpen(connection, { host: { ...here, hostId: "a container" }, now: 3 });
  expect(count(connection)).toBe(2);
  connection.close();
});

test("a closed store leaves no mark, an open one has one", async () => {
  const connection = await openerTable();
  expect(count(connection)).toBe(0);
  markOpen(connection, { now: 1 });
  expect(count(connection)).toBe(1);
  connection.close();
});

// S30
test("network file systems are known by their numbers, local ones are not among them", () => {
  expect([0x6969, 0xff534d42, 0xfe534d42 | 0, 0x01021997].map(networkFileSystem)).toEqual([
    "NFS",
    "CIFS",
    "SMB2",
    "9P",
  ]);
  expect([0xef53, 0x01021994, 0x9123683e, 0x58465342].map(networkFileSystem)).toEqual(
    Array(4).fill(undefined),
  );
});
