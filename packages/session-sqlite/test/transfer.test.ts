import { manualClock } from "@basis/core/testing";
import { memoryStore, type ModelMessage, type SessionStore } from "@mobkit/session";
import { exportSession, importSession, splitLines } from "@mobkit/session/bundle";
import { createReadStream, createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { describe, expect, test } from "vitest";
import { openSqliteStore } from "../src/index.ts";
import { leasedSession, says, temporaryDirectory, temporaryPath, temporaryStore } from "./temporary-store.ts";

type AnyStore = SessionStore<ModelMessage, never>;

async function bodiesOf(store: AnyStore, id: string): Promise<unknown[]> {
  const bodies: unknown[] = [];
  for await (const { body } of store.read(id)) bodies.push(body);
  return bodies;
}

describe("a store file", () => {
  test("hands a long session over by a file, and takes it in from another kind of store", async () => {
    const store = await temporaryStore();
    const { id, lease } = await leasedSession(store);
    const messages = Array.from({ length: 700 }, (_, index) =>
      says(`message ${index} ${"é".repeat(index % 100 === 0 ? 10_000 : 10)}`),
    );
    await store.append(id, { lease, expectedRev: 0, messages });
    const file = `${temporaryDirectory()}/bundle.jsonl`;
    async function* written() {
      for await (const line of exportSession(store, id)) yield `${line}\n`;
    }
    await pipeline(written(), createWriteStream(file));
    const memory: AnyStore = memoryStore();
    const first = await importSession(memory, splitLines(createReadStream(file)), {
      member: "copy",
      role: "r",
    });
    const second = await importSession(store, exportSession(memory, first.session.id), {
      member: "copy",
      role: "r",
    });
    expect(await bodiesOf(store, second.session.id)).toEqual(messages);
    expect(second.session.headDigest).toBe((await store.head(id)).headDigest);
    expect((await store.prefix(second.session.id, 300)).digest).toBe((await store.prefix(id, 300)).digest);
  });

  // S35: all or nothing, also when the process goes away in between.
  test("shows nothing of an import that its process didn't finish", async () => {
    const path = temporaryPath();
    const clock = manualClock();
    const first = await openSqliteStore(path, { clock });
    const { id, lease } = await leasedSession(first);
    await first.append(id, { lease, expectedRev: 0, messages: ["a", "b", "c"].map(says) });
    const lines: string[] = [];
    for await (const line of exportSession(first, id)) lines.push(line);
    const begun = await first.transfer!.begin();
    for await (const { row } of first.transfer!.rows((await first.transfer!.outline(id)).spans)) {
      const staged = { row: { ...row, writer: begun.sessionId, rev: 0 }, blobs: [], mark: null };
      await first.transfer!.stage(begun, [staged]);
    }
    await first.close();

    const store = await temporaryStore({ path, clock });
    expect((await store.listSessions({ state: "ready" })).items.map((each) => each.id)).toEqual([id]);
    expect((await store.head(begun.sessionId)).state).toBe("pending");
    clock.advance(3_600_000);
    const { session } = await importSession(store, lines, { member: "copy", role: "r" });
    expect((await store.head(begun.sessionId)).state).toBe("tombstone");
    expect(await bodiesOf(store, session.id)).toEqual(["a", "b", "c"].map(says));
  });

  test("that is only read is exported, and takes nothing in", async () => {
    const path = temporaryPath();
    const writable = await openSqliteStore(path);
    const { id, lease } = await leasedSession(writable);
    await writable.append(id, { lease, expectedRev: 0, messages: [says("a")] });
    await writable.close();
    const store = await temporaryStore({ path, readOnly: true });
    const lines: string[] = [];
    for await (const line of exportSession(store, id)) lines.push(line);
    await expect(importSession(store, lines, { member: "copy", role: "r" })).rejects.toMatchObject({
      code: "store_unavailable",
    });
    await expect(importSession(memoryStore(), lines, { member: "copy", role: "r" })).resolves.toBeDefined();
  });
});
