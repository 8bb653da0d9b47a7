import { manualClock } from "@basis/core/testing";
import { memoryStore, modelMessageShape, type SessionOutline, type TransferRow } from "@mobkit/session";
import { exportSession, importSession, verifyBundle, type ExportSource } from "@mobkit/session/bundle";
import type { ModelMessage } from "@mobkit/session";
import { describe, expect, test } from "vitest";
import { MemoryState } from "../../src/memory/memory-state.ts";
import { storeOver } from "../../src/memory/memory-store.ts";
import { answers, asks, bundleOf, parse, refusalOf, says, scene, type Store } from "./bundle-scene.ts";

async function codeOf(lines: AsyncIterable<string>): Promise<unknown> {
  try {
    for await (const _ of lines);
    return "whole";
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
}

/** The scene's store with another outline or other rows. */
function tampered(
  store: Store,
  tamper: {
    outline?: (outline: SessionOutline) => SessionOutline;
    row?: (row: TransferRow) => TransferRow | undefined;
  },
): Store {
  const transfer = store.transfer!;
  return {
    ...store,
    transfer: {
      ...transfer,
      outline: async (...asked) => (tamper.outline ?? ((each) => each))(await transfer.outline(...asked)),
      async *rows(...asked) {
        for await (const row of transfer.rows(...asked)) {
          const told = tamper.row === undefined ? row : tamper.row(row);
          if (told !== undefined) yield told;
        }
      },
    },
  };
}

describe("an export", () => {
  test("is the transcript as it was when it began", async () => {
    const { store, rootId } = await scene();
    const lease = await store.acquireLease(rootId, { owner: "b", ttlMs: 1 }).catch(() => undefined);
    expect(lease).toBeUndefined();
    const lines: string[] = [];
    for await (const line of exportSession(store, rootId)) {
      if (lines.length === 1) await store.setState(rootId, { state: "archived" });
      lines.push(line);
    }
    expect(await refusalOf(lines)).toBeUndefined();
  });

  test("names its blobs in side state, and those that aren't there it doesn't miss", async () => {
    const store: Store = memoryStore({ clock: manualClock() });
    const { id } = await store.createSession({ member: "a", role: "r" });
    const lease = await store.acquireLease(id, { owner: "t", ttlMs: 1000 });
    const { digest } = await store.blobs.put("kept");
    const value = { there: digest, gone: `sha256:${"0".repeat(64)}` };
    await store.update(id, { lease, expectedRev: 0, sideState: [{ kind: "k", onFork: "copy", value }] });
    const target: Store = memoryStore();
    const { session } = await importSession(target, await bundleOf(store, id), { member: "a", role: "r" });
    expect(new TextDecoder().decode(await target.blobs.get(digest))).toBe("kept");
    expect((await target.sideState(session.id, "k"))?.value).toEqual(value);
  });

  // S32: whatever was redacted while it ran is not handed on.
  test("refuses its end when something was redacted meanwhile", async () => {
    const { store, id } = await scene();
    const redacting = (generations: readonly number[]): ExportSource<ModelMessage> => {
      const left = [...generations];
      return { ...store, upkeep: { generation: async () => left.shift()! } };
    };
    expect(await codeOf(exportSession(redacting([3, 4]), id))).toBe("bundle_stale");
    const lines: string[] = [];
    for await (const line of exportSession(redacting([3, 3]), id)) lines.push(line);
    expect((await verifyBundle(lines, { shape: modelMessageShape })).origin.generation).toBe(3);
  });

  // S32: the digest stays when the salt is destroyed; it can't be verified by itself then, and the report counts it.
  test("hands redacted rows on as such", async () => {
    const { state, store, id } = await stateScene();
    const log = state.session(id).log;
    log.set(0, {
      ...log.get(0)!,
      blob: null,
      bodyText: '{"content":"[redacted]","role":"user"}',
      salt: null,
    });
    const target: Store = memoryStore();
    const { bundle, session } = await importSession(target, await bundleOf(store, id), {
      member: "a",
      role: "r",
    });
    expect([bundle.redacted, bundle.messages]).toEqual([1, 3]);
    expect(session.headDigest).toBe((await store.head(id)).headDigest);
    expect(await refusalOf(await bundleOf(target, session.id))).toBeUndefined();
  });

  test("refuses rows that were collected meanwhile", async () => {
    const { store, id } = await scene();
    for (const lost of [0, 3, 6]) {
      const row = (each: TransferRow) => (each.row.position === lost ? undefined : each);
      expect(await codeOf(exportSession(tampered(store, { row }), id))).toBe("bundle_stale");
    }
  });

  test("tells damage of the store in place of handing it on", async () => {
    const { store, id } = await scene();
    const row = (fields: object) => (each: TransferRow) =>
      each.row.position === 2 ? { ...each, row: { ...each.row, ...fields } } : each;
    for (const fields of [
      { bodyText: '{"content":"z","role":"user"}' },
      { kind: "user" },
      { openAfter: 5 },
      { id: "z" },
    ]) {
      expect(await codeOf(exportSession(tampered(store, { row: row(fields) }), id))).toBe("store_corrupt");
    }
    const outline = (each: SessionOutline) => ({ ...each, session: { ...each.session, settledLen: 1 } });
    expect(await codeOf(exportSession(tampered(store, { outline }), id))).toBe("store_corrupt");
    expect(await codeOf(exportSession(tampered(store, {}), id))).toBe("whole");
  });

  test("refuses a blob that is lost, a store that can't, and a caller who has gone", async () => {
    const { state, store, id } = await stateScene();
    const { requestHead: _none } = await store.head(id);
    expect(await codeOf(exportSession(store, id))).toBe("whole");
    expect(await codeOf(exportSession(store, id, { signal: AbortSignal.abort(new Error("gone")) }))).toEqual(
      new Error("gone"),
    );
    const { transfer: _transfer, ...without } = store;
    expect(await codeOf(exportSession(without, id))).toBe("invalid_request");
    await expect(importSession(without, [], { member: "b", role: "r" })).rejects.toMatchObject({
      code: "invalid_request",
    });
    state.blobs.clear();
    expect(await codeOf(exportSession(store, id))).toBe("blob_missing");
  });

  test("ends the lineage where the store knows no more of it", async () => {
    const { store, id, rootId } = await scene();
    const head: Store["head"] = async (sessionId) => {
      const { SessionError } = await import("@mobkit/session");
      if (sessionId === rootId) throw new SessionError("unknown_session", "gone", { details: { sessionId } });
      return store.head(sessionId);
    };
    const types: string[] = [];
    for await (const line of exportSession({ ...store, head }, id))
      types.push(...parse([line]).map(({ type }) => type));
    expect(types.filter((type) => type === "ancestor")).toHaveLength(1);
  });
});

async function stateScene() {
  const state = new MemoryState(modelMessageShape, manualClock());
  const store: Store = storeOver(state);
  const { id } = await store.createSession({ member: "a", role: "r" });
  const lease = await store.acquireLease(id, { owner: "t", ttlMs: 1000 });
  const messages = [says("a secret ".repeat(4000)), asks("x"), answers("x")];
  await store.append(id, { lease, expectedRev: 0, messages });
  return { state, store, id };
}
