import { isSessionError, type ModelMessage } from "@mobkit/session";
import { afterEach, expect, test, vi } from "vitest";
import type { PostgresStore } from "../src/index.ts";
import { gate } from "./support/gate.ts";
import { forkOf } from "./support/forks.ts";
import { leasedSession, runSql, says, temporaryStore } from "./support/test-database.ts";

type Store = PostgresStore<ModelMessage>;

/** Stores as different machines have them: each with its own connections and its own knowledge. */
async function machines(count: number): Promise<readonly [Store, ...Store[]]> {
  const first = await temporaryStore({ maxConnections: 3 });
  const options = { schema: first.schema, maxConnections: 3 };
  const others = await Promise.all(Array.from({ length: count - 1 }, () => temporaryStore(options)));
  return [first, ...others];
}

afterEach(() => vi.useRealTimers());

/** Takes the lease as soon as it is free. */
async function takeLease(store: Store, sessionId: string, owner: string) {
  for (;;) {
    try {
      return await store.acquireLease(sessionId, { owner, ttlMs: 60_000 });
    } catch (error) {
      if (!isSessionError(error, "lease_held")) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 5));
    }
  }
}

// F47–F57, F109
test("eight writers and a forker on one session: nothing is lost, and every fork is an exact prefix", async () => {
  const stores = await machines(9);
  const forker = stores[0];
  const { id } = await forker.createSession({ member: "planner", role: "general" });
  const each = 6;
  const written = new AbortController();
  const writers = stores.slice(1).map(async (store, writer) => {
    for (let turn = 0; turn < each; turn += 1) {
      const lease = await takeLease(store, id, `w${writer}`);
      const { rev } = await store.head(id);
      await store.append(id, { lease, expectedRev: rev, messages: [says(`${writer}-${turn}`)] });
      await store.releaseLease(lease);
    }
  });
  const forking = (async () => {
    const children = [];
    for (let child = 0; !written.signal.aborted; child += 1) {
      children.push(await forkOf(forker, id, { member: `child-${child}`, allowEmpty: true }));
    }
    return children;
  })();
  await Promise.all(writers);
  written.abort();
  const children = await forking;
  expect(children.length).toBeGreaterThan(3);
  expect(await forker.head(id)).toMatchObject({ len: 8 * each, rev: 8 * each });
  const texts = new Set<unknown>();
  for await (const { body } of forker.read(id)) texts.add(body.content);
  expect(texts.size).toBe(8 * each);
  for (const { session } of children) {
    const prefix = await forker.prefix(id, session.len);
    expect([session.headDigest, session.len]).toEqual([prefix.digest, prefix.length]);
    let last = prefix.digest;
    for await (const { digest } of forker.read(session.id)) last = digest;
    expect(last).toBe(prefix.digest);
  }
});

// F57
test("a fork that is under way keeps no append waiting, and an append keeps no fork waiting", async () => {
  const [store, other] = await machines(2);
  const { id, lease } = await leasedSession(store);
  await store.append(id, { lease, expectedRev: 0, messages: [says("a")] });
  const held = gate();
  const notes = await other!.extend({ name: "reader", migrations: [] });
  const forking = notes.transaction(async ({ sql }) => {
    await sql.all("SELECT 1 FROM session WHERE id = $1 FOR KEY SHARE", [id]);
    held.reach();
    await held.opened;
  });
  await held.reached;
  expect(await store.append(id, { lease, expectedRev: 1, messages: [says("b")] })).toMatchObject({ len: 2 });
  held.open();
  await forking;
  const writing = gate();
  const transacting = store.transact(lease, async () => {
    writing.reach();
    await writing.opened;
  });
  await writing.reached;
  const { session } = await forkOf(other!, id, { member: "child" });
  expect(session.len).toBe(2);
  writing.open();
  await transacting;
});

// F42
test("of 64 racers for a name one wins, and the others leave nothing", async () => {
  const stores = await machines(4);
  const { id, lease } = await leasedSession(stores[0]);
  await stores[0].append(id, { lease, expectedRev: 0, messages: [says("a")] });
  const races = Array.from({ length: 64 }, (_, index) => forkOf(stores[index % 4]!, id, { member: "child" }));
  const outcomes = await Promise.allSettled(races);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const codes = outcomes.flatMap((one) => (one.status === "rejected" ? [String(one.reason.code)] : []));
  expect(new Set(codes)).toEqual(new Set(["member_already_exists"]));
  expect((await stores[0].listSessions({ state: "pending" })).items).toHaveLength(1);
  expect((await stores[0].operations.list()).items).toHaveLength(1);
});

test("of 64 forks with one idempotency key one is made, and all answer it", async () => {
  const stores = await machines(4);
  const { id, lease } = await leasedSession(stores[0]);
  await stores[0].append(id, { lease, expectedRev: 0, messages: [says("a")] });
  const asked = { member: "child", idempotencyKey: "k" };
  const forks = await Promise.all(Array.from({ length: 64 }, (_, at) => forkOf(stores[at % 4]!, id, asked)));
  expect(new Set(forks.map(({ operation }) => operation.id)).size).toBe(1);
  expect(forks.filter(({ replayed }) => !replayed)).toHaveLength(1);
});

test("of 64 racers for a lease one wins", async () => {
  const stores = await machines(4);
  const { id } = await stores[0].createSession({ member: "planner", role: "general" });
  const races = Array.from({ length: 64 }, (_, index) =>
    stores[index % 4]!.acquireLease(id, { owner: `r${index}`, ttlMs: 60_000 }),
  );
  const outcomes = await Promise.allSettled(races);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await stores[0].head(id)).toMatchObject({ lease: { epoch: 1 } });
});

// Two machines each know the session: what one knows becomes old with every write of the other.
test("what a process knows of a session is never taken for what is so", async () => {
  const [one, two] = await machines(2);
  const { id, lease } = await leasedSession(one);
  for (let rev = 0; rev < 10; rev += 2) {
    await one.append(id, { lease, expectedRev: rev, messages: [says("one")] });
    await two!.append(id, { lease, expectedRev: rev + 1, messages: [says("two")] });
    await two!.adjustWork(id, { queuedInputs: 1 });
  }
  const late = two!.append(id, { lease, expectedRev: 3, messages: [says("late")] });
  await expect(late).rejects.toMatchObject({ code: "revision_conflict", details: { actual: 10 } });
  expect(await one.head(id)).toMatchObject({ len: 10, rev: 10, queuedInputs: 5 });
});

// A lock holder that is killed in its transaction: its locks are free at once, and what it did is undone and done again.
test("lock holders that are killed lose nothing and keep nobody waiting", async () => {
  const [holder, other] = await machines(2);
  const { id, lease } = await leasedSession(holder);
  const marks = await holder.extend({ name: "marks", migrations: ["CREATE TABLE marks_of (n integer)"] });
  for (let kill = 0; kill < 10; kill += 1) {
    let runs = 0;
    const held = gate();
    const holding = holder.transact(lease, async ({ sql }) => {
      runs += 1;
      await sql.run("INSERT INTO marks_of VALUES ($1)", [kill]);
      if (runs > 1) return;
      held.reach();
      await held.opened;
    });
    await held.reached;
    const waiting = other!.adjustWork(id, { queuedInputs: 1 });
    await runSql(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE state = 'idle in transaction'
       AND pid IN (SELECT pid FROM pg_locks WHERE relation = ($1 || '.marks_of')::regclass)`,
      { values: [holder.schema] },
    );
    expect(await waiting).toMatchObject({ queuedInputs: kill + 1 });
    held.open();
    await holding;
    expect(runs).toBe(2);
  }
  expect(await marks.read(({ sql }) => sql.all("SELECT n FROM marks_of ORDER BY n"))).toEqual(
    Array.from({ length: 10 }, (_, n) => ({ n })),
  );
});

// S24: leases go by the database's clock.
test("a machine whose clock is an hour ahead takes no lease before its time, and gets it in time", async () => {
  const [store, other] = await machines(2);
  const { id } = await store.createSession({ member: "planner", role: "general" });
  const lease = await store.acquireLease(id, { owner: "right", ttlMs: 2000 });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
  const early = other!.acquireLease(id, { owner: "wrong", ttlMs: 60_000 });
  await expect(early).rejects.toMatchObject({ code: "lease_held", details: { owner: "right" } });
  const taken = await takeLease(other!, id, "wrong");
  expect(taken.expiresAt - lease.expiresAt).toBeLessThan(600_000);
  const late = store.append(id, { lease, expectedRev: 0, messages: [says("late")] });
  await expect(late).rejects.toMatchObject({ code: "stale_fence", details: { epoch: 1, current: 2 } });
  await other!.append(id, { lease: taken, expectedRev: 0, messages: [says("taken")] });
});
