import { SessionError } from "@mobkit/session";
import { expect, test } from "vitest";
import { loadDriver, type DatabaseHandle, type SqliteConnection } from "../src/index.ts";
import { selectSessions } from "../src/session-select.ts";
import { faultyDriver } from "../src/testing/index.ts";
import { leasedSession, says, temporaryPath, temporaryStore } from "./temporary-store.ts";

const readsSession = selectSessions("id = ?");

async function watchedStore() {
  const statements: string[] = [];
  const real = await loadDriver();
  const driver = faultyDriver(real, { before: ({ sql }) => void statements.push(sql) });
  return { store: await temporaryStore({ driver }), real, statements };
}

test("a session that was just written is not read again by the next write", async () => {
  const { store, statements } = await watchedStore();
  const { id, lease } = await leasedSession(store);
  const { rev } = await store.append(id, { lease, expectedRev: 0, messages: [says("one")] });
  statements.length = 0;
  await store.append(id, { lease, expectedRev: rev, messages: [says("two")] });
  expect(statements).not.toContain(readsSession);
});

// F109
test("a write decides on what another connection has committed since", async () => {
  const { store, real, statements } = await watchedStore();
  const { id, lease } = await leasedSession(store);
  const { rev } = await store.append(id, { lease, expectedRev: 0, messages: [says("one")] });
  const other = real.open(store.path);
  other.exec("UPDATE session SET rev = rev + 1, lease_epoch = lease_epoch + 1");
  other.close();
  statements.length = 0;
  const late = store.append(id, { lease, expectedRev: rev, messages: [says("two")] });
  await expect(late).rejects.toMatchObject({ code: "stale_fence" });
  expect(statements).toContain(readsSession);
});

test("a write decides on nothing that was rolled back, alone or beside others", async () => {
  const { store } = await watchedStore();
  const { id, lease } = await leasedSession(store);
  const refused = (rev: number) =>
    store.append(id, {
      lease,
      expectedRev: rev,
      messages: [says("never")],
      join: () => {
        throw new SessionError("invalid_request", "no", { details: { field: "join", reason: "no" } });
      },
    });
  const { rev } = await store.append(id, { lease, expectedRev: 0, messages: [says("one")] });
  await expect(refused(rev)).rejects.toMatchObject({ code: "invalid_request" });
  const [failed, done] = await Promise.allSettled([
    refused(rev),
    store.append(id, { lease, expectedRev: rev, messages: [says("two")] }),
  ]);
  expect([failed.status, done.status]).toEqual(["rejected", "fulfilled"]);
  await store.append(id, { lease, expectedRev: rev + 1, messages: [says("three")] });
  const bodies = [];
  for await (const { body } of store.read(id)) bodies.push(body.content);
  expect(bodies).toEqual(["one", "two", "three"]);
});

test("a seat decides on the operation as another connection has left it", async () => {
  const { store, real } = await watchedStore();
  const { id } = await leasedSession(store);
  const commit = (member: string) =>
    store.forks.commit({
      source: { member: "planner", sessionId: id },
      child: { member, role: "general", labels: {} },
      allowEmpty: true,
      request: {},
      requestDigest: "same",
      claim: { owner: "test", ttlMs: 60_000 },
    });
  const { claim } = await commit("left alone");
  const { claim: taken } = await commit("taken over");
  expect((await store.forks.seat({ claim: claim! })).operation.state).toBe("seated");
  const other = real.open(store.path);
  other.exec("UPDATE fork_op SET claim_epoch = claim_epoch + 1");
  other.close();
  await expect(store.forks.seat({ claim: taken! })).rejects.toMatchObject({ code: "stale_claim" });
});

test("SQL that is lent changes nothing of the store's, and reads all of it", async () => {
  const { store } = await watchedStore();
  const { id, lease } = await leasedSession(store);
  const own = await store.extend({ name: "own", migrations: ["CREATE TABLE own_row (n INTEGER) STRICT"] });
  const change = own.transaction(({ sql }) => sql.run("UPDATE session SET rev = rev + 1"));
  await expect(change).rejects.toMatchObject({
    code: "invalid_sql",
    details: { reason: expect.stringMatching(/store's own/) },
  });
  const read = await own.transaction(({ sql }) => {
    sql.run("INSERT INTO own_row (n) SELECT rev FROM session");
    return sql.get("SELECT count(*) AS n FROM own_row");
  });
  expect(read).toEqual({ n: 1 });
  expect(await store.append(id, { lease, expectedRev: 0, messages: [says("one")] })).toMatchObject({
    rev: 1,
  });
});

test("a write decides on what the host has changed over a handle that it shares", async () => {
  const path = temporaryPath();
  const database = (await loadDriver()).open(path);
  const store = await temporaryStore({ path, database: asHandle(database) });
  const { id, lease } = await leasedSession(store);
  await store.append(id, { lease, expectedRev: 0, messages: [says("one")] });
  database.exec("UPDATE session SET lease_epoch = lease_epoch + 1");
  const late = store.append(id, { lease, expectedRev: 1, messages: [says("two")] });
  await expect(late).rejects.toMatchObject({ code: "stale_fence" });
});

function asHandle(connection: SqliteConnection): DatabaseHandle {
  return {
    exec: (sql) => connection.exec(sql),
    prepare(sql) {
      const { run, get, all } = connection.prepare(sql);
      return {
        run: (...values) => ({ changes: run(...values) }),
        get,
        all: (...values) => [...all(...values)],
      };
    },
    close: () => connection.close(),
  };
}
