import { expect, test } from "vitest";
import { leasedSession, says, temporaryStore } from "./temporary-store.ts";

const secret = 'hunter2 "quoted"\nsecond line';

test("a text is found in messages, in long ones and in those that no transcript holds, by id", async () => {
  const store = await temporaryStore();
  const { id, lease } = await leasedSession(store);
  const messages = [
    says("a"),
    says(`it is ${secret}`),
    says(`${secret} `.repeat(2000)),
    says(`gone: ${secret}`),
  ];
  const { rev, ids } = await store.append(id, { lease, expectedRev: 0, messages });
  await store.cancel(id, { lease, expectedRev: rev, to: 3, reason: "no" });
  const found = await store.findTexts([secret]);
  const expected = ids
    .slice(1)
    .map((messageId) => ({ sessionId: id, messageId, origin: expect.any(String), isAttached: false }));
  expect(found.messages).toEqual(expected);
  expect(new Set(found.messages.map(({ origin }) => origin)).size).toBe(3);
  expect(found.tables).toEqual({ blob: 1 });
});

test("it is found in every table beside, the namespaces' too, also inside JSON that is a text in JSON", async () => {
  const store = await temporaryStore();
  const { id, lease } = await leasedSession(store);
  const notes = await store.extend({ name: "notes", migrations: ["CREATE TABLE notes_kept (a ANY, b ANY)"] });
  const nested = JSON.stringify({ secret });
  await notes.transaction(({ sql }) => {
    sql.run("INSERT INTO notes_kept VALUES (?, ?)", ["-", JSON.stringify({ nested })]);
    sql.run("INSERT INTO notes_kept VALUES (?, ?)", [Buffer.from(secret), "-"]);
    sql.run("INSERT INTO notes_kept VALUES (?, ?)", ["hunter2", "quoted"]);
  });
  const sideState = [{ kind: "board", onFork: "copy", value: { [secret]: 1 } }] as const;
  await store.update(id, { lease, expectedRev: 0, sideState });
  expect(await store.findTexts(["never said", secret])).toEqual({
    messages: [],
    tables: { notes_kept: 2, side_value: 1 },
  });
  expect(await store.findTexts(["never said"])).toEqual({ messages: [], tables: {} });
});

test("no text finds nothing, and an empty one is refused", async () => {
  const store = await temporaryStore();
  expect(await store.findTexts([])).toEqual({ messages: [], tables: {} });
  await expect(store.findTexts([""])).rejects.toMatchObject({ code: "invalid_request" });
});

test("what is attached is told apart, and messages that do not count are left out", async () => {
  const store = await temporaryStore();
  const { id, lease } = await leasedSession(store);
  const { digest } = await store.blobs.put(`whole: ${secret}`);
  const messages = [says("cut"), says("user"), says(`${secret} `.repeat(2000))];
  const { ids } = await store.append(id, { lease, expectedRev: 0, messages, blobs: [digest] });
  const asked: unknown[] = [];
  const counts = (message: unknown, { messageId }: { readonly messageId: string }): boolean => {
    asked.push([messageId, message]);
    return messageId !== ids[1];
  };
  const { messages: found } = await store.findTexts([secret, "user"], { counts });
  expect(found.map(({ messageId, isAttached }) => [messageId, isAttached])).toEqual([
    [ids[0], expect.any(Boolean)],
    [ids[2], expect.any(Boolean)],
  ]);
  expect(found.filter(({ isAttached }) => isAttached)).not.toEqual([]);
  expect(asked).toEqual(messages.map((message, at) => [ids[at], message]));
});
