import type { ModelMessage } from "@mobkit/session";
import { expect, test } from "vitest";
import type { SqliteStore } from "../src/index.ts";
import { runStoreProcess } from "./store-processes.ts";
import { says, temporaryPath, temporaryStore } from "./temporary-store.ts";

/** The store that a process left behind when it was killed at a point. */
async function leftBy(point: string): Promise<SqliteStore<ModelMessage>> {
  const path = temporaryPath();
  expect(await runStoreProcess(path, point)).toEqual({ code: null, signal: "SIGKILL", errors: "" });
  const store = await temporaryStore({ path });
  const checker = await store.extend({ name: "checker", migrations: [] });
  const verdict = await checker.read(({ sql }) => sql.all("SELECT * FROM pragma_integrity_check"));
  expect(verdict).toEqual([{ integrity_check: "ok" }]);
  return store;
}

async function lengths(store: SqliteStore<ModelMessage>): Promise<number[]> {
  return (await store.listSessions()).items.map(({ len }) => len);
}

/** Repeats the append that the process was killed in. */
async function retry(store: SqliteStore<ModelMessage>) {
  const member = await store.members.get("planner");
  const lease = await store.acquireLease(member!.sessionId, { owner: "taker", ttlMs: 60_000 });
  return store.append(member!.sessionId, { lease, expectedRev: 0, messages: [says("a")], writeId: "w0" });
}

test("killed before the commit: the append is absent, and its repetition writes it", async () => {
  const store = await leftBy("before-commit");
  expect(await lengths(store)).toEqual([0]);
  expect(await retry(store)).toMatchObject({ len: 1, replayed: false });
});

// S27
test("killed after the commit: the append is there, and its repetition answers the first result", async () => {
  const store = await leftBy("after-commit");
  expect(await lengths(store)).toEqual([1]);
  expect(await retry(store)).toMatchObject({ len: 1, replayed: true });
});

test("killed in the middle of a group: none of it is there", async () => {
  expect(await lengths(await leftBy("mid-group"))).toEqual([0, 0, 0]);
});

// F86–F103
test("killed between a fork's commit and its seat: the fork is listed, unseen by name, and can be seated", async () => {
  const store = await leftBy("fork-without-seat");
  const [operation] = (await store.operations.list({ state: "committed" })).items;
  expect(operation).toMatchObject({ child: { member: "child" }, source: { len: 1 } });
  expect(await store.members.get("child")).toBeUndefined();
  const claim = await store.operations.claim({ operationId: operation!.id, owner: "taker", ttlMs: 1000 });
  const { session } = await store.forks.seat({ claim });
  expect(session).toMatchObject({ id: operation!.child.sessionId, state: "ready", len: 1 });
});

test("killed during a migration: the next open makes the schema, or the namespace, anew", async () => {
  expect(await lengths(await leftBy("mid-migration"))).toEqual([]);
  const store = await leftBy("mid-extension");
  const migrations = ["CREATE TABLE host_table (a TEXT) STRICT"];
  expect(await store.extend({ name: "host", migrations })).toMatchObject({ version: 1 });
});
