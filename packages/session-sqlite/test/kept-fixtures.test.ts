import { manualClock } from "@basis/core/testing";
import { modelMessageShape } from "@mobkit/session";
import { exportSession, verifyBundle } from "@mobkit/session/bundle";
import { copyFileSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { leasedSession, says, temporaryPath, temporaryStore } from "./temporary-store.ts";
import { contentsOf } from "./store-contents.ts";

interface KeptContents {
  readonly blobs: readonly { readonly digest: string }[];
  readonly operations: readonly { readonly id: string; readonly state: string }[];
}

/** Files as earlier releases wrote them, and what their calls told of them. Never written again. */
const kept = ["v1", "v2", "v3"];

function fixture(name: string, suffix: string): URL {
  return new URL(`fixtures/${name}.${suffix}`, import.meta.url);
}

/** Long after any kept file was written, so that no claim of its is held any more. */
const later = Date.UTC(2100, 0);

/** A copy of a kept file, and what its own release told of it. */
function copyOf(name: string): { readonly path: string; readonly contents: KeptContents } {
  const path = temporaryPath();
  copyFileSync(fixture(name, "sqlite"), path);
  return { path, contents: JSON.parse(readFileSync(fixture(name, "json"), "utf8")) as KeptContents };
}

test.each(kept)("a file of schema %s is migrated and tells all that it told before", async (name) => {
  const { path, contents } = copyOf(name);
  const store = await temporaryStore({ path });
  const digests = contents.blobs.map(({ digest }) => digest);
  expect(await contentsOf(store, digests)).toEqual(contents);
});

test.each(kept)("a migrated file of schema %s goes on: a fork is seated, messages follow", async (name) => {
  const { path, contents } = copyOf(name);
  const store = await temporaryStore({ path, clock: manualClock(later) });
  for (const { id } of contents.operations.filter(({ state }) => state === "committed")) {
    const claim = await store.operations.claim({ operationId: id, owner: "new", ttlMs: 1000 });
    const { session } = await store.forks.seat({ claim });
    const lease = await store.acquireLease(session.id, { owner: "new", ttlMs: 1000 });
    const { len } = await store.append(session.id, { lease, expectedRev: 0, messages: [says("on")] });
    expect(len).toBe(session.len + 1);
  }
  await leasedSession(store, "newcomer");
});

test.each(kept)(
  "sessions of a migrated file of schema %s leave it in bundles, new rows beside old",
  async (name) => {
    const { path } = copyOf(name);
    const store = await temporaryStore({ path, clock: manualClock(later) });
    const { items } = await store.listSessions({ state: "ready" });
    const settled = items.filter(({ len, openCalls }) => len > 0 && openCalls.length === 0);
    expect(settled.length).toBeGreaterThan(0);
    for (const { id, len, rev } of settled) {
      const lease = await store.acquireLease(id, { owner: "new", ttlMs: 1000 });
      await store.append(id, { lease, expectedRev: rev, messages: [says("on")] });
      const bundle = await verifyBundle(exportSession(store, id), { shape: modelMessageShape });
      expect(bundle.messages).toBe(len + 1);
    }
  },
);
