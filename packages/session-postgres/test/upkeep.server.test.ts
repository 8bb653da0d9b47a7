import type { ModelMessage } from "@mobkit/session";
import pg from "pg";
import { expect, test } from "vitest";
import type { PostgresStore } from "../src/index.ts";
import { forkOf } from "./support/forks.ts";
import { databaseUrl, leasedSession, runSql, says, temporaryStore } from "./support/test-database.ts";

type Store = PostgresStore<ModelMessage>;

async function texts(store: Store, sessionId: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { body } of store.read(sessionId)) found.push(body.content);
  return found;
}

/** A fork that has read its source and can't commit, since somebody else is about to take its name, until it is let go. */
async function forkInWaiting(store: Store, sessionId: string) {
  const other = new pg.Client({ connectionString: databaseUrl() });
  await other.connect();
  await other.query(`SET search_path = "${store.schema}"; BEGIN`);
  await other.query("INSERT INTO member (name, sort_key, operation) VALUES ('child', '', 'x')");
  const fork = forkOf(store, sessionId, { member: "child" });
  await until(() => waiting(store, "INSERT INTO member%"));
  return {
    async letGo() {
      await other.query("ROLLBACK");
      await other.end();
      return fork;
    },
  };
}

/** The store's processes that wait for a lock in such a statement. */
function waiting({ schema }: Store, query: string): Promise<readonly unknown[]> {
  return runSql(
    `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $2
     AND pid IN (SELECT pid FROM pg_locks WHERE relation = ($1 || '.session')::regclass
       OR (NOT granted AND locktype = 'advisory'))`,
    { values: [schema, query] },
  );
}

async function until(look: () => Promise<readonly unknown[]>): Promise<void> {
  while ((await look()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

// S31, F113
test("a collection without grace removes nothing that a fork under way has read", async () => {
  const store = await temporaryStore();
  const { id, lease } = await leasedSession(store);
  await store.append(id, { lease, expectedRev: 0, messages: ["a", "b", "c"].map(says) });
  const fork = await forkInWaiting(store, id);
  await store.cancel(id, { lease, expectedRev: 1, to: 1, reason: "wrong" });
  const collecting = store.upkeep!.collect({ graceMs: 0 });
  await until(() => waiting(store, "SELECT pg_advisory_xact_lock(%"));
  const { session } = await fork.letGo();
  expect((await collecting).gone.rows).toBe(0);
  expect(await texts(store, session.id)).toEqual(["a", "b", "c"]);
  expect(await texts(store, id)).toEqual(["a"]);
});

// S32
test("a redaction misses no copy that a fork under way makes", async () => {
  const store = await temporaryStore();
  const { id, lease } = await leasedSession(store);
  const { ids } = await store.append(id, {
    lease,
    expectedRev: 0,
    messages: [says("the word is hunter2")],
    sideState: [{ kind: "note", onFork: "copy", value: "hunter2" }],
  });
  const fork = await forkInWaiting(store, id);
  const redacting = store.upkeep!.redact({ sessionId: id, messageIds: ids, secrets: ["hunter2"] });
  await until(() => waiting(store, "SELECT pg_advisory_xact_lock(%"));
  const { session } = await fork.letGo();
  expect(await redacting).toMatchObject({ messages: 1, texts: 2 });
  expect((await store.sideState(session.id, "note"))?.value).toBe("[redacted]");
  expect(JSON.stringify(await texts(store, session.id))).not.toContain("hunter2");
});

// S32: the server itself has cleared the replaced rows away.
test("after a redaction the secret is in no table", async () => {
  const store = await temporaryStore();
  const { id, lease } = await leasedSession(store);
  const long = `hunter2 ${"long ".repeat(5000)}`;
  const { ids } = await store.append(id, { lease, expectedRev: 0, messages: [says("hunter2"), says(long)] });
  expect(await store.upkeep!.redact({ sessionId: id, messageIds: ids })).toMatchObject({
    messages: 2,
    purged: true,
  });
  const [left] = await runSql(
    `SELECT (SELECT count(*) FROM message WHERE body LIKE '%hunter2%') AS rows, (SELECT count(*) FROM blob) AS blobs,
       (SELECT n_dead_tup FROM pg_stat_user_tables WHERE relid = ($1 || '.message')::regclass) AS dead`,
    { schema: store.schema, values: [store.schema] },
  );
  expect(left).toMatchObject({ rows: "0", blobs: "0" });
});

test("a session that goes on while it is rebased loses nothing, and neither do its forks", async () => {
  const store = await temporaryStore();
  const other = await temporaryStore({ schema: store.schema });
  let member = "planner";
  let session = await leasedSession(store, member);
  for (let depth = 0; depth < 34; depth += 1) {
    await store.append(session.id, {
      lease: session.lease,
      expectedRev: 0,
      messages: [says(`own ${depth}`)],
    });
    const { claim, session: child } = await store.forks.commit({
      source: { member, sessionId: session.id },
      child: { member: `child-${depth}`, role: "general", labels: {} },
      request: {},
      requestDigest: "same",
      claim: { owner: "test", ttlMs: 60_000 },
    });
    await store.forks.seat({ claim: claim! });
    member = `child-${depth}`;
    session = { id: child.id, lease: await store.acquireLease(child.id, { owner: "test", ttlMs: 60_000 }) };
  }
  const before = await texts(store, session.id);
  const rebases = [store.upkeep!.rebase({ stepSize: 3 }), other.upkeep!.rebase({ stepSize: 5 })];
  for (let rev = 0; rev < 10; rev += 1) {
    await store.append(session.id, {
      lease: session.lease,
      expectedRev: rev,
      messages: [says(`later ${rev}`)],
    });
  }
  await Promise.all(rebases);
  await store.upkeep!.rebase({ sessionId: session.id });
  const [spans] = await runSql(
    "SELECT count(*)::integer AS n FROM span WHERE session = (SELECT key FROM session WHERE id = $1)",
    { schema: store.schema, values: [session.id] },
  );
  expect(spans!["n"]).toBeLessThanOrEqual(32);
  expect(await texts(store, session.id)).toEqual([
    ...before,
    ...Array.from({ length: 10 }, (_, at) => `later ${at}`),
  ]);
  await store.upkeep!.collect({ graceMs: 0 });
  expect(await texts(other, session.id)).toHaveLength(before.length + 10);
});

test("two collections at once remove what one would", async () => {
  const store = await temporaryStore();
  const other = await temporaryStore({ schema: store.schema });
  const { id, lease } = await leasedSession(store);
  const messages = Array.from({ length: 50 }, (_, at) =>
    says(`${at} ${"long ".repeat(at % 10 === 0 ? 4000 : 1)}`),
  );
  await store.append(id, { lease, expectedRev: 0, messages });
  await store.cancel(id, { lease, expectedRev: 1, to: 5, reason: "wrong" });
  const reports = await Promise.all([
    store.upkeep!.collect({ graceMs: 0, stepSize: 7 }),
    other.upkeep!.collect({ graceMs: 0, stepSize: 11 }),
  ]);
  expect(reports.reduce((sum, { gone }) => sum + gone.rows, 0)).toBe(45);
  expect(await texts(store, id)).toHaveLength(5);
});

// S31
test("what a host's table names by digest keeps its blob, in any column that holds texts", async () => {
  const store = await temporaryStore();
  const host = await store.extend({
    name: "host",
    migrations: ['CREATE TABLE "host_Kept" (n integer, plain text, "as JSON" jsonb, list text[])'],
  });
  const blobs = await Promise.all(["a", "b", "c", "d"].map((content) => store.blobs.put(content)));
  const [a, b, c] = blobs.map(({ digest }) => digest);
  await host.transaction(({ sql }) =>
    sql.run('INSERT INTO "host_Kept" VALUES (1, $1, $2, $3)', [`see ${a}`, JSON.stringify({ at: b }), [c!]]),
  );
  expect((await store.upkeep!.collect({ graceMs: 0 })).gone.blobs).toBe(1);
  await host.transaction(({ sql }) => sql.run('DELETE FROM "host_Kept"'));
  expect((await store.upkeep!.collect({ graceMs: 0 })).gone.blobs).toBe(3);
});
