import { expect, test } from "vitest";
import { temporaryStore } from "./temporary-store.ts";

// S31
test("what the host's own tables name by digest stays, and goes when they let go of it", async () => {
  const store = await temporaryStore();
  const [parked, bytes, loose] = await Promise.all(["a", "b", "c"].map((text) => store.blobs.put(text)));
  const migrations = [`CREATE TABLE approvals_parked ("what's in it" TEXT, raw BLOB, n INTEGER) STRICT`];
  const approvals = await store.extend({ name: "approvals", migrations });
  await approvals.transaction(({ sql }) => {
    const preview = JSON.stringify({ result: parked!.digest });
    sql.run("INSERT INTO approvals_parked VALUES (?, ?, 1)", [preview, Buffer.from(`see ${bytes!.digest}`)]);
  });
  expect((await store.upkeep.collect({ graceMs: 0 })).gone.blobs).toBe(1);
  expect(await store.blobs.get(loose!.digest)).toBeUndefined();
  expect(await store.blobs.get(parked!.digest)).toBeDefined();
  await approvals.transaction(({ sql }) => sql.run("DELETE FROM approvals_parked"));
  expect((await store.upkeep.collect({ graceMs: 0 })).gone.blobs).toBe(2);
});
