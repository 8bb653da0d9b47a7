import { manualClock } from "@basis/core/testing";
import { memoryStore } from "@mobkit/session";
import { exportSession, importSession } from "@mobkit/session/bundle";
import { describe, expect, test } from "vitest";
import { bundleOf, refusalOf, says, scene } from "./bundle-scene.ts";

describe("beside upkeep", () => {
  // S32
  test("an export refuses its end when a message was redacted meanwhile, and exports the rest when it begins anew", async () => {
    const { store, id } = await scene();
    const [first] = await all(store.read(id));
    const lines = exportSession(store, id);
    await lines.next();
    await lines.next();
    await store.upkeep.redact({ sessionId: id, messageIds: [first!.id] });
    await expect(
      (async () => {
        for await (const _ of lines);
      })(),
    ).rejects.toMatchObject({ code: "bundle_stale" });
    const target = memoryStore();
    const { bundle, session } = await importSession(target, exportSession(store, id), {
      member: "a",
      role: "r",
    });
    expect([bundle.redacted > 0, bundle.origin.generation]).toEqual([true, 1]);
    expect(session.headDigest).toBe((await store.head(id)).headDigest);
    expect(await refusalOf(await bundleOf(target, session.id))).toBeUndefined();
    const again = await all(target.read(session.id));
    expect(again[0]!.redacted).toBe(true);
  });

  test("a collection without grace takes nothing from an import that goes on", async () => {
    const { store, lines } = await scene();
    async function* slowly() {
      for (const line of lines) {
        yield line;
        await store.upkeep.collect({ graceMs: 0 });
      }
    }
    const { session } = await importSession(store, slowly(), { member: "copy", role: "r" });
    await store.upkeep.collect({ graceMs: 0 });
    expect((await all(store.read(session.id))).length).toBe(session.len);
  });

  test("a rebased session is exported as it was", async () => {
    const store = memoryStore({ clock: manualClock() });
    let { id } = await store.createSession({ member: "m0", role: "r" });
    for (let at = 0; at < 40; at += 1) {
      const lease = await store.acquireLease(id, { owner: "t", ttlMs: 1 });
      await store.append(id, { lease, expectedRev: 0, messages: [says(`message ${at}`)] });
      const { claim, session } = await store.forks.commit({
        source: { member: `m${at}`, sessionId: id },
        child: { member: `m${at + 1}`, role: "r", labels: {} },
        request: {},
        requestDigest: "r",
        claim: { owner: "t", ttlMs: 1000 },
      });
      await store.forks.seat({ claim: claim! });
      id = session.id;
    }
    await store.upkeep.rebase();
    const { session } = await importSession(memoryStore(), exportSession(store, id), {
      member: "a",
      role: "r",
    });
    expect(session.headDigest).toBe((await store.head(id)).headDigest);
  });
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
