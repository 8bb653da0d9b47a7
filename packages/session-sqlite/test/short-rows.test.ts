import { newId } from "@basis/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findById } from "../src/messages.ts";
import { idKey } from "../src/packed-text.ts";
import { timeBeside, timeFrom } from "../src/short-times.ts";
import { leasedSession, says, temporaryStore } from "./temporary-store.ts";

const anyTime = fc.integer({ min: 0, max: 2 ** 48 });
const anyId = fc.oneof(fc.uuid(), fc.string(), fc.constantFrom("", "m1", "12345678-9abc", "0x00000000-0001"));

test("any time beside any id comes back, and one soon after its id's own is short", () => {
  fc.assert(
    fc.property(anyId, anyTime, (id, time) => {
      expect(timeFrom(id, timeBeside(id, time))).toBe(time);
    }),
  );
  const now = Date.UTC(2200, 0);
  expect([0, 1, 127, -1].map((late) => timeBeside(newId(now), now + late))).toEqual([-1, -2, -128, now - 1]);
});

const halfOfAll = "01a22d09-4a05-7f02";
const twins = [`${halfOfAll}-b3d5-a98423fedd9c`, `${halfOfAll}-b3d5-a98423fedd9d`];

test("ids whose first halves are the same are told apart", async () => {
  const store = await temporaryStore();
  const { id, lease } = await leasedSession(store);
  await store.append(id, { lease, expectedRev: 0, messages: [says("one"), says("two")], ids: twins });
  const fork = (messageId: string) =>
    store.forks.commit({
      source: { member: "planner", sessionId: id },
      child: { member: `after ${messageId}`, role: "general", labels: {} },
      at: { messageId },
      request: {},
      requestDigest: "same",
      claim: { owner: "test", ttlMs: 1000 },
    });
  expect([(await fork(twins[0]!)).session.len, (await fork(twins[1]!)).session.len]).toEqual([1, 2]);
  await expect(fork(`${halfOfAll}-b3d5-a98423fedd9e`)).rejects.toMatchObject({ code: "fork_boundary" });
  const again = store.append(id, { lease, expectedRev: 1, messages: [says("three")], ids: [twins[1]!] });
  await expect(again).rejects.toMatchObject({ code: "duplicate_message" });
});

test("the index by id is asked for every id, and has a key of its own for ids that count in their last digits", async () => {
  const store = await temporaryStore();
  const { id, lease } = await leasedSession(store);
  const counted = ["00000000-0000-0000-0000-00000000000", "01890a5d-ac96-774b-bcce-b302099a805"];
  const ids = counted.flatMap((start) => [`${start}1`, `${start}2`, `${start}3`]);
  await store.append(id, { lease, expectedRev: 0, messages: ids.map(says), ids });
  const looker = await store.extend({ name: "looker", migrations: [] });
  const keys = `SELECT count(DISTINCT ${idKey("id")}) AS keys FROM message`;
  expect(await looker.read(({ sql }) => sql.get(keys))).toEqual({ keys: 3 + 1 }); // those of version 7 share their time
  const plan = await looker.read(({ sql }) => sql.all(`EXPLAIN QUERY PLAN ${findById}`, [1, ids[0]!]));
  expect(plan).toMatchObject([
    { detail: expect.stringMatching(/INDEX message_by_id \(session=\? AND <expr>=\?\)/) },
  ]);
});

test("a fork's child tells its parent's prefix, and goes on telling it as a tombstone whose rows are gone", async () => {
  const store = await temporaryStore();
  const { id, lease } = await leasedSession(store);
  const { digest } = await store.append(id, { lease, expectedRev: 0, messages: [says("one")] });
  const { claim, operation } = await store.forks.commit({
    source: { member: "planner", sessionId: id },
    child: { member: "child", role: "general", labels: {} },
    request: {},
    requestDigest: "same",
    claim: { owner: "test", ttlMs: 1000 },
  });
  const looker = await store.extend({ name: "looker", migrations: [] });
  const kept = looker.read(({ sql }) =>
    sql.get(
      "SELECT typeof(parent_id) AS parent, typeof(kind) AS event FROM session, outbox WHERE session.key = 2",
    ),
  );
  expect(await kept).toEqual({ parent: "integer", event: "integer" }); // some drivers bind every number as a real one
  const child = operation.child.sessionId;
  const parent = { sessionId: id, len: 1, digest };
  expect(await store.head(child)).toMatchObject({ parent, headDigest: digest });
  expect((await store.listSessions({ state: "pending" })).items).toMatchObject([{ parent }]);
  await store.forks.abandon({ operationId: operation.id, claim: claim! });
  await store.setState(id, { state: "archived" });
  await store.setState(id, { state: "tombstone" });
  for (let pass = 0; pass < 2; pass += 1) await store.upkeep.collect({ graceMs: 0 });
  expect(await store.head(child)).toMatchObject({ state: "tombstone", parent });
  expect(await store.operations.get(operation.id)).toMatchObject({ source: { len: 1, digest } });
});
