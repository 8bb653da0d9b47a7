import { expect, test } from "vitest";
import { loadDriver } from "../src/index.ts";
import { faultyDriver, type DriverStep, type FaultPlan } from "../src/testing/index.ts";
import { leasedSession, says, temporaryPath, temporaryStore } from "./temporary-store.ts";

/** A store whose driver follows a plan that may be changed while it runs. */
async function faultyStore(plan: FaultPlan, options: { busyTimeoutMs?: number } = {}) {
  return temporaryStore({
    path: temporaryPath(),
    driver: faultyDriver(await loadDriver(), plan),
    ...options,
  });
}

const named = (errcode: number): Error =>
  Object.assign(new Error("made up"), { code: "ERR_SQLITE_ERROR", errcode });
const isCommit = ({ sql }: DriverStep): boolean => sql === "COMMIT";

/** A plan that throws once at the next step that fits. */
function once(when: "before" | "after", fits: (step: DriverStep) => boolean, error: unknown) {
  let armed = false;
  const strike = (step: DriverStep): void => {
    if (!armed || !fits(step)) return;
    armed = false;
    throw error;
  };
  return { plan: { [when]: strike }, arm: () => void (armed = true) };
}

test("appends of one turn of the event loop share one commit", async () => {
  const steps: DriverStep[] = [];
  const store = await faultyStore({ before: (step) => void steps.push(step) });
  const sessions = await Promise.all(
    Array.from({ length: 64 }, (_, index) => leasedSession(store, `member-${index}`)),
  );
  steps.length = 0;
  const results = await Promise.all(
    sessions.map(({ id, lease }) => store.append(id, { lease, expectedRev: 0, messages: [says("a")] })),
  );
  expect(results.map(({ len }) => len)).toEqual(Array(64).fill(1));
  expect(steps.filter(isCommit)).toHaveLength(1);
});

test("a refusal in a group fails alone and leaves no trace", async () => {
  const store = await temporaryStore();
  const [one, other] = [await leasedSession(store, "one"), await leasedSession(store, "other")];
  const outcomes = await Promise.allSettled([
    store.append(one.id, { lease: one.lease, expectedRev: 0, messages: [says("a")] }),
    store.append(one.id, { lease: one.lease, expectedRev: 0, messages: [says("late")] }),
    store.append(other.id, {
      lease: other.lease,
      expectedRev: 0,
      messages: [says("undone")],
      join: () => {
        throw new Error("not today");
      },
    }),
    store.append(other.id, { lease: other.lease, expectedRev: 0, messages: [says("b")] }),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
  expect(outcomes[1]).toMatchObject({ reason: { code: "revision_conflict" } });
  expect(outcomes[2]).toMatchObject({ reason: { message: "not today" } });
  const bodies: unknown[] = [];
  for (const { id } of [one, other]) for await (const { body } of store.read(id)) bodies.push(body.content);
  expect(bodies).toEqual(["a", "b"]);
});

test("writes happen in the order in which they were asked for", async () => {
  const store = await temporaryStore();
  const { id, lease } = await leasedSession(store);
  const results = await Promise.all(
    [0, 1, 2, 3].map((expectedRev) =>
      store.append(id, { lease, expectedRev, messages: [says(String(expectedRev))] }),
    ),
  );
  expect(results.map(({ from }) => from)).toEqual([0, 1, 2, 3]);
});

test("an aborted write is taken back as long as its transaction has not begun", async () => {
  const store = await temporaryStore();
  const { id, lease } = await leasedSession(store);
  const stop = new AbortController();
  const write = store.append(id, { lease, expectedRev: 0, messages: [says("a")], signal: stop.signal });
  stop.abort(new Error("changed my mind"));
  await expect(write).rejects.toThrow("changed my mind");
  expect((await store.head(id)).len).toBe(0);
  await store.append(id, {
    lease,
    expectedRev: 0,
    messages: [says("b")],
    signal: new AbortController().signal,
  });
  expect((await store.head(id)).len).toBe(1);
});

// S27
test("when the commit's reply is lost the write id tells the retry what happened", async () => {
  const { plan, arm } = once("after", isCommit, new Error("the wire broke"));
  const store = await faultyStore(plan);
  const { id, lease } = await leasedSession(store);
  const request = { lease, expectedRev: 0, messages: [says("a")], writeId: "w1" };
  arm();
  const lost = { code: "store_unavailable", details: { reason: "commit_unknown" } };
  await expect(store.append(id, request)).rejects.toMatchObject(lost);
  await expect(store.append(id, request)).resolves.toMatchObject({ len: 1, replayed: true });
  expect((await store.head(id)).len).toBe(1);
});

// S30
test("an IO error at the commit drops the connection, and the retry writes once", async () => {
  const { plan, arm } = once("before", isCommit, named(10));
  const opened: string[] = [];
  const store = await faultyStore({
    ...plan,
    after: ({ operation, sql }) => void (operation === "open" && opened.push(sql)),
  });
  const { id, lease } = await leasedSession(store);
  const request = { lease, expectedRev: 0, messages: [says("a")], writeId: "w1" };
  arm();
  await expect(store.append(id, request)).rejects.toMatchObject({ details: { reason: "commit_unknown" } });
  await expect(store.append(id, request)).resolves.toMatchObject({ len: 1, replayed: false });
  expect(opened).toHaveLength(2);
});

test("a full disk in the middle of a group fails the write it met, and the others are tried alone", async () => {
  let left = 0;
  const store = await faultyStore({
    before: ({ sql }) => {
      if (sql.startsWith("INSERT INTO message") && left > 0 && (left -= 1) < 2) throw named(13);
    },
  });
  const sessions = await Promise.all(["a", "b", "c"].map((member) => leasedSession(store, member)));
  const append = ({ id, lease }: (typeof sessions)[number]) =>
    store.append(id, { lease, expectedRev: 0, messages: [says("x")] });
  left = 3;
  const outcomes = await Promise.allSettled(sessions.map(append));
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(outcomes[0]).toMatchObject({ reason: { code: "store_unavailable", details: { reason: "full" } } });
  await expect(append(sessions[0]!)).resolves.toMatchObject({ len: 1 });
});

test("a full disk at the commit is no doubt: nothing was written", async () => {
  const { plan, arm } = once("before", isCommit, named(13));
  const store = await faultyStore(plan);
  const { id, lease } = await leasedSession(store);
  arm();
  const write = store.append(id, { lease, expectedRev: 0, messages: [says("a")] });
  await expect(write).rejects.toMatchObject({ code: "store_unavailable", details: { reason: "full" } });
  expect((await store.head(id)).len).toBe(0);
});

test("a lock that stays is waited for, with the event loop running, and then is busy", async () => {
  let locked = false;
  const store = await faultyStore(
    {
      before: ({ sql }) => {
        if (locked && /^(BEGIN|SELECT)/.test(sql)) throw named(5);
      },
    },
    { busyTimeoutMs: 40 },
  );
  const { id, lease } = await leasedSession(store);
  locked = true;
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 1);
  const outcomes = await Promise.allSettled([
    store.append(id, { lease, expectedRev: 0, messages: [says("a")] }),
    store.head(id),
  ]);
  const busy = { reason: { code: "busy", details: { waitedMs: expect.any(Number) } } };
  expect(outcomes).toMatchObject([busy, busy]);
  clearInterval(counting);
  expect(turns).toBeGreaterThan(0);
  locked = false;
  await expect(store.append(id, { lease, expectedRev: 0, messages: [says("a")] })).resolves.toMatchObject({
    len: 1,
  });
});

test("a lock that is let go in time is no failure", async () => {
  let refusals = 3;
  let armed = false;
  const store = await faultyStore({
    before: ({ sql }) => {
      if (armed && sql === "BEGIN IMMEDIATE" && (refusals -= 1) >= 0) throw named(5);
    },
  });
  const { id, lease } = await leasedSession(store);
  armed = true;
  await expect(store.append(id, { lease, expectedRev: 0, messages: [says("a")] })).resolves.toMatchObject({
    len: 1,
  });
});

test("a write that waits for a lock can be taken back", async () => {
  let locked = false;
  const store = await faultyStore({
    before: ({ sql }) => {
      if (locked && sql === "BEGIN IMMEDIATE") throw named(5);
    },
  });
  const { id, lease } = await leasedSession(store);
  locked = true;
  const stop = new AbortController();
  const write = store.append(id, { lease, expectedRev: 0, messages: [says("a")], signal: stop.signal });
  setTimeout(() => stop.abort(new Error("enough")), 15);
  await expect(write).rejects.toThrow("enough");
  locked = false;
  expect((await store.head(id)).len).toBe(0);
});

test("writes keep their order when a group larger than one commit is undone and tried alone", async () => {
  let left = 0;
  const store = await faultyStore({
    before: ({ sql }) => {
      if (sql.startsWith("INSERT INTO message") && left > 0 && (left -= 1) === 0) throw named(10);
    },
  });
  const { id, lease } = await leasedSession(store);
  left = 200;
  const writes = Array.from({ length: 300 }, (_, expectedRev) =>
    store.append(id, { lease, expectedRev, messages: [says(String(expectedRev))] }),
  );
  const results = await Promise.all(writes);
  expect(results.map(({ from }) => from)).toEqual(Array.from(writes.keys()));
});
