import { memoryStore, modelMessageShape, type SessionOutline, type TransferRow } from "@mobkit/session";
import { exportSession, importSession, type ExportSource, type ImportTarget } from "@mobkit/session/bundle";
import { emptyDigest, rowDigest } from "@mobkit/session/rules";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ModelMessage } from "@mobkit/session";
import { expect, test } from "vitest";

const MESSAGES = 25_000;
const salt = "0".repeat(32);

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** A row with about 1.5 kB of text behind a prefix. */
function rowAt(position: number, before: string): TransferRow {
  const id = `m${position}`;
  const bodyText = JSON.stringify({ content: `${position} `.padEnd(1500, "x"), role: "user" });
  const row = { salt, id, kind: "user", turnId: null, bodyText } as const;
  const digest = rowDigest(before, { ...row, body: bodyText });
  const usageAfter = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };
  const place = { writer: "w", seq: position, position, rev: 0, createdAt: 0, openAfter: 0, usageAfter };
  return { row: { ...row, ...place, digest, blob: null }, blobs: [], mark: null };
}

/** A store that makes its rows as they are asked for, and one that forgets them as they come. */
async function endlessStores() {
  const store = memoryStore();
  const { id } = await store.createSession({ member: "a", role: "r" });
  const blank = await store.transfer!.outline(id);
  let headDigest = emptyDigest;
  for (let position = 0; position < MESSAGES; position += 1)
    headDigest = rowAt(position, headDigest).row.digest;
  const outline: SessionOutline = {
    ...blank,
    session: { ...blank.session, id: "w", len: MESSAGES, settledLen: MESSAGES, headDigest },
    spans: [{ start: 0, writer: "w", lo: 0, hi: MESSAGES }],
  };
  async function* rows(): AsyncGenerator<TransferRow> {
    let before = emptyDigest;
    for (let position = 0; position < MESSAGES; position += 1) {
      const row = rowAt(position, before);
      before = row.row.digest;
      yield row;
    }
  }
  const source: ExportSource<ModelMessage> = {
    ...store,
    transfer: { ...store.transfer!, outline: async () => outline, rows },
  };
  const target: ImportTarget<ModelMessage> = {
    ...store,
    transfer: {
      ...store.transfer!,
      stage: async () => undefined,
      finish: async () => ({ session: outline.session, member: (await store.members.get("a"))! }),
    },
  };
  return { source, target };
}

// S35: what both sides keep of a message is its id and its digest, never its text.
test("an export that is imported as it comes keeps little of each message", async () => {
  const { source, target } = await endlessStores();
  const before = heapUsed();
  let most = 0;
  let bytes = 0;
  async function* measured() {
    let lines = 0;
    for await (const line of exportSession(source, "w")) {
      bytes += line.length;
      lines += 1;
      if (lines % 5000 === 0) most = Math.max(most, heapUsed() - before);
      yield line;
    }
  }
  const { bundle } = await importSession(target, measured(), { member: "b", role: "r" });
  expect(bundle.messages).toBe(MESSAGES);
  expect(bundle.origin.shape).toBe(modelMessageShape.name);
  expect(bytes).toBeGreaterThan(45_000_000);
  expect(most).toBeLessThan(16_000_000);
});
