import { memoryStore, type ModelMessage, type SessionStore } from "@mobkit/session";
import { exportSession, importSession } from "@mobkit/session/bundle";
import { expect, test } from "vitest";
import { leasedSession, runSql, says, temporaryStore } from "./support/test-database.ts";

type AnyStore = SessionStore<ModelMessage, never>;

async function bodiesOf(store: AnyStore, id: string): Promise<unknown[]> {
  const bodies: unknown[] = [];
  for await (const { body } of store.read(id)) bodies.push(body);
  return bodies;
}

test("a long session goes to another kind of store and back, with its digests", async () => {
  const store = await temporaryStore();
  const { id, lease } = await leasedSession(store);
  const messages = Array.from({ length: 700 }, (_, at) =>
    says(`message ${at} ${"é".repeat(at % 100 === 0 ? 10_000 : 10)}`),
  );
  await store.append(id, { lease, expectedRev: 0, messages });
  const memory: AnyStore = memoryStore();
  const first = await importSession(memory, exportSession(store, id), { member: "copy", role: "r" });
  const second = await importSession(store, exportSession(memory, first.session.id), {
    member: "copy",
    role: "r",
  });
  expect(await bodiesOf(store, second.session.id)).toEqual(messages);
  expect((await store.prefix(second.session.id, 300)).digest).toBe((await store.prefix(id, 300)).digest);
});

// S35: all or nothing, also when the process goes away in between.
test("an import that its process didn't finish shows nothing, and the next one clears it away", async () => {
  const store = await temporaryStore();
  const { id, lease } = await leasedSession(store);
  await store.append(id, { lease, expectedRev: 0, messages: ["a", "b"].map(says) });
  const transfer = store.transfer!;
  const begun = await transfer.begin();
  for await (const { row } of transfer.rows((await transfer.outline(id)).spans)) {
    await transfer.stage(begun, [
      { row: { ...row, writer: begun.sessionId, rev: 0 }, blobs: [], mark: null },
    ]);
  }
  expect((await store.listSessions({ state: "ready" })).items.map((each) => each.id)).toEqual([id]);
  expect(await store.head(begun.sessionId)).toMatchObject({ state: "pending", len: 2 });
  await transfer.drop(await transfer.begin());
  expect((await store.head(begun.sessionId)).state).toBe("pending");
  await runSql("UPDATE session SET lease_expires_at = 1 WHERE id = $1", {
    schema: store.schema,
    values: [begun.sessionId],
  });
  const { session } = await importSession(store, exportSession(store, id), { member: "copy", role: "r" });
  expect((await store.head(begun.sessionId)).state).toBe("tombstone");
  expect(await bodiesOf(store, session.id)).toEqual(["a", "b"].map(says));
});

test("of many imports under one name one is made", async () => {
  const store = await temporaryStore();
  const { id, lease } = await leasedSession(store);
  await store.append(id, { lease, expectedRev: 0, messages: [says("a")] });
  const imports = Array.from({ length: 8 }, () =>
    importSession(store, exportSession(store, id), { member: "copy", role: "r" }),
  );
  const outcomes = await Promise.allSettled(imports);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect((await store.members.list()).items.map(({ member }) => member)).toEqual(["copy", "planner"]);
});
