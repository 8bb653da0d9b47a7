import type { ModelMessage } from "@mobkit/session";
import { expect, test } from "vitest";
import { loadDriver, type SqliteStore } from "../src/index.ts";
import { faultyDriver } from "../src/testing/index.ts";
import { leasedSession, says, temporaryStore } from "./temporary-store.ts";

/** A store that notes every statement it runs. */
async function watchedStore(): Promise<{ store: SqliteStore<ModelMessage>; statements: string[] }> {
  const statements: string[] = [];
  const driver = faultyDriver(await loadDriver(), {
    // Looked at by time, ten times a second.
    before: ({ sql }) => void (sql === "PRAGMA user_version" || statements.push(sql)),
  });
  return { store: await temporaryStore({ driver }), statements };
}

type Leased = Awaited<ReturnType<typeof leasedSession>>;

function fork(store: SqliteStore<ModelMessage>, source: Leased, child: string) {
  return store.forks.commit({
    source: { member: "planner", sessionId: source.id },
    child: { member: child, role: "general", labels: {} },
    request: {},
    requestDigest: "same",
    claim: { owner: "test", ttlMs: 1000 },
  });
}

/** Appends until the session has `length` messages. */
async function fill(store: SqliteStore<ModelMessage>, session: Leased, length: number): Promise<void> {
  let { rev, len } = await store.head(session.id);
  while (len < length) {
    const messages = Array.from({ length: Math.min(500, length - len) }, (_, index) =>
      says(`${len + index}`),
    );
    ({ rev, len } = await store.append(session.id, { lease: session.lease, expectedRev: rev, messages }));
  }
}

// F107
test("a fork runs the same statements at ten messages and at ten thousand", async () => {
  const { store, statements } = await watchedStore();
  const session = await leasedSession(store);
  const runs: string[][] = [];
  for (const length of [10, 10_000]) {
    await fill(store, session, length);
    statements.length = 0;
    await fork(store, session, `child-${length}`);
    runs.push([...statements]);
  }
  expect(runs[0]).toEqual(runs[1]);
  expect(runs[0]!.some((sql) => sql.startsWith("INSERT INTO message"))).toBe(false);
  expect(runs[0]!.filter((sql) => sql === "COMMIT")).toHaveLength(1);
  expect(runs[0]!.length).toBe(10);
});

test("an append runs the same statements at any length", async () => {
  const { store, statements } = await watchedStore();
  const session = await leasedSession(store);
  const runs: string[][] = [];
  for (const length of [10, 2000]) {
    await fill(store, session, length);
    const { rev } = await store.head(session.id);
    statements.length = 0;
    await store.append(session.id, { lease: session.lease, expectedRev: rev, messages: [says("one more")] });
    runs.push([...statements]);
  }
  expect(runs[0]).toEqual(runs[1]);
  expect(runs[0]!.filter((sql) => sql === "COMMIT")).toHaveLength(1);
  expect(runs[0]!.length).toBe(5);
});

// F108
test("forks add little to the file, however long what they inherit", async () => {
  const { store } = await watchedStore();
  const session = await leasedSession(store);
  await fill(store, session, 5000);
  const sizer = await store.extend({ name: "sizer", migrations: [] });
  const pages = async (): Promise<number> =>
    Number(
      (
        await sizer.read(({ sql }) =>
          sql.get("SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size"),
        )
      )?.["n"],
    );
  const before = await pages();
  await Promise.all(Array.from({ length: 200 }, (_, index) => fork(store, session, `child-${index}`)));
  expect(((await pages()) - before) / 200).toBeLessThan(380);
});

// F114
test("listing sessions reads no body", async () => {
  const { store, statements } = await watchedStore();
  await fill(store, await leasedSession(store), 3);
  statements.length = 0;
  expect((await store.listSessions()).items).toHaveLength(1);
  expect(statements).toHaveLength(1);
  expect(statements.join("\n").replaceAll(/typeof\(\w+\) = 'blob'/g, "")).not.toMatch(/blob|body/);
});

// S34
test("a reader that stops half-way holds no transaction, and pages have the size asked for", async () => {
  const { store, statements } = await watchedStore();
  const session = await leasedSession(store);
  await fill(store, session, 10);
  statements.length = 0;
  const rows = store.read(session.id, { pageSize: 4 })[Symbol.asyncIterator]();
  await rows.next();
  expect(statements.filter((sql) => sql === "BEGIN")).toHaveLength(
    statements.filter((sql) => sql === "ROLLBACK").length,
  );
  await fill(store, session, 12);
  statements.length = 0;
  let count = 1;
  while (!(await rows.next()).done) count += 1;
  expect(count).toBe(10);
  expect(statements.filter((sql) => sql.includes("FROM message"))).toHaveLength(2);
});

// F47–F57
test("a fork writes nothing of its source", async () => {
  const { store } = await watchedStore();
  const session = await leasedSession(store);
  await fill(store, session, 5);
  const looker = await store.extend({ name: "looker", migrations: [] });
  const look = () =>
    looker.read(({ sql }) => [
      sql.get("SELECT * FROM session ORDER BY key LIMIT 1"),
      sql.all("SELECT * FROM span WHERE session = 1"),
      sql.all("SELECT * FROM message"),
    ]);
  const before = await look();
  await fork(store, session, "child");
  expect(await look()).toEqual(before);
});
