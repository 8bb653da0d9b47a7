import type { ModelMessage } from "@mobkit/session";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadDriver, type SqliteStore } from "../src/index.ts";
import { leasedSession, says, temporaryPath, temporaryStore } from "./temporary-store.ts";

const secret = "hunter2-hunter2-hunter2";

/** Which of a store's files hold the secret, or its bytes in UTF-16. */
function filesWithSecret(path: string): string[] {
  return [path, `${path}-wal`, `${path}-shm`].filter((file) => {
    if (!existsSync(file)) return false;
    const bytes = readFileSync(file);
    return bytes.includes(secret) || bytes.includes(Buffer.from(secret, "utf16le"));
  });
}

/** A closed file's bytes, since a second handle on a live one would drop its locks. */
async function secretIn(store: SqliteStore<ModelMessage>): Promise<string[]> {
  await store.close();
  return filesWithSecret(store.path);
}

interface Told {
  readonly store: SqliteStore<ModelMessage>;
  readonly sessionId: string;
  readonly messageIds: readonly string[];
}

/** A store that was told the secret in every way there is, among other things that are told, changed and removed. */
async function toldStore(path = temporaryPath()): Promise<Told> {
  const store = await temporaryStore({ path });
  const { id, lease } = await leasedSession(store);
  const whole = await store.blobs.put(`whole result: ${secret}`);
  const messageIds: string[] = [];
  let rev = 0;
  const tell = async (message: ModelMessage, more: object = {}): Promise<void> => {
    const appended = await store.append(id, { lease, expectedRev: rev, messages: [message], ...more });
    ({ rev } = appended);
    messageIds.push(...appended.ids);
  };
  for (let round = 0; round < 30; round += 1) {
    await tell(says(`${round} ${secret} `.repeat(1 + round * 10)), {
      writeId: `w${round}`,
      events: [{ key: `k${round}`, kind: "told", payload: { text: secret } }],
      sideState: [{ kind: "board", onFork: "share", value: [secret, "x".repeat(round * 100)] }],
    });
  }
  await tell(says(`long: ${secret} `.repeat(2000)), { blobs: [whole.digest] });
  await tell(says(`summary: ${secret}`), { mark: { summarises: 31, keepFrom: 31 } });
  const cancelled = { lease, expectedRev: rev, to: 10, reason: `not ${secret}`, messages: [says("anew")] };
  await store.cancel(id, cancelled);
  await store.forks.commit({
    source: { member: "planner", sessionId: id },
    child: { member: "child", role: "general", labels: {} },
    request: { why: secret },
    requestDigest: "digest",
    initialMessage: says(secret),
    claim: { owner: "test", ttlMs: 1000 },
  });
  return { store, sessionId: id, messageIds };
}

// S32
test("after a redaction neither file, log nor index hold the secret", async () => {
  const { store, sessionId, messageIds } = await toldStore();
  const report = await store.upkeep.redact({ sessionId, messageIds, secrets: [secret] });
  expect(report).toMatchObject({ messages: 32, summaries: 0, blobs: 2, sharedBlobs: [], purged: true });
  expect(await secretIn(store)).toEqual([]);
});

test("without a redaction the file holds it, so the search finds what is there", async () => {
  const { store } = await toldStore();
  expect(await secretIn(store)).toEqual([store.path]);
});

// S32
test("the log is emptied while the store stays open, so a process that dies afterwards leaves none of it", async () => {
  const { store, sessionId, messageIds } = await toldStore();
  await store.upkeep.redact({ sessionId, messageIds, secrets: [secret] });
  expect(readFileSync(`${store.path}-wal`).includes(secret)).toBe(false);
});

// S32
test("a reader that stays is told of by the report, and a repetition purges", async () => {
  const { store, sessionId, messageIds } = await toldStore();
  await store.close();
  const patient = await temporaryStore({ path: store.path, busyTimeoutMs: 50 });
  const reader = (await loadDriver()).open(store.path, { readOnly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM message").get();
  const request = { sessionId, messageIds, secrets: [secret] };
  expect((await patient.upkeep.redact(request)).purged).toBe(false);
  reader.exec("ROLLBACK");
  expect(await patient.upkeep.redact(request)).toMatchObject({ messages: 0, purged: true });
  reader.close();
  expect(await secretIn(patient)).toEqual([]);
});

// S32
test("the host's own tables are redacted in the same transaction", async () => {
  const { store, sessionId, messageIds } = await toldStore();
  const migrations = ["CREATE TABLE notes_of (text TEXT) STRICT"];
  const notes = await store.extend({ name: "notes", migrations });
  await notes.transaction(({ sql }) => sql.run("INSERT INTO notes_of VALUES (?)", [secret]));
  const failing = store.upkeep.redact({
    sessionId,
    messageIds,
    join: () => {
      throw new Error("not now");
    },
  });
  await expect(failing).rejects.toThrow("not now");
  expect((await store.upkeep.redact({ sessionId, messageIds: messageIds.slice(0, 1) })).messages).toBe(1);
  await store.upkeep.redact({
    sessionId,
    messageIds,
    secrets: [secret],
    join: ({ sql }) => void sql.run("DELETE FROM notes_of"),
  });
  expect(await secretIn(store)).toEqual([]);
});

test("a collection removes cancelled bodies from the file as well", async () => {
  const path = temporaryPath();
  const store = await temporaryStore({ path });
  const { id, lease } = await leasedSession(store);
  const messages = [says(secret), says(`${secret} `.repeat(3000))];
  const { rev } = await store.append(id, { lease, expectedRev: 0, messages });
  await store.cancel(id, { lease, expectedRev: rev, to: 0, reason: "wrong" });
  for (let pass = 0; pass < 2; pass += 1) await store.upkeep.collect({ graceMs: 0 });
  expect(await secretIn(store)).toEqual([]);
});
