import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { runStoreProcess } from "./store-processes.ts";
import { leasedSession, says, temporaryPath, temporaryStore } from "./temporary-store.ts";

/** Rows that no transcript holds and that wait for a collection. */
const maxAhead = 60;
const success = { code: 0, signal: null, errors: "" };

// F113, S32
test("another process collects, redacts and rebases beside appends, cancels and deletions", async () => {
  const path = temporaryPath();
  const store = await temporaryStore({ path });
  const { id, lease } = await leasedSession(store);
  const checker = await store.extend({ name: "checker", migrations: [] });
  const rows = async (): Promise<number> =>
    Number((await checker.read(({ sql }) => sql.get("SELECT count(*) AS n FROM message")))?.["n"]);
  let rev = 0;
  let kept = 0;
  const step = async (): Promise<void> => {
    const messages = [says(`kept ${kept}`), says("wrong")];
    const { len, rev: appended } = await store.append(id, { lease, expectedRev: rev, messages });
    ({ rev } = await store.cancel(id, { lease, expectedRev: appended, to: len - 1, reason: "wrong" }));
    kept += 1;
  };
  for (let round = 0; round < 40; round += 1) await step();
  const ended = new AbortController();
  const other = runStoreProcess(path, "upkeep-loop").finally(() => ended.abort());
  // Never far ahead: what is written meanwhile the other has to collect, and on a slow machine would never be done.
  while (!ended.signal.aborted) {
    if ((await rows()) - kept < maxAhead) await step();
    else await setImmediate();
  }
  expect(await other).toEqual(success);
  await step();
  const bodies: unknown[] = [];
  for await (const { position, body, redacted } of store.read(id)) {
    expect(position).toBe(bodies.length);
    expect(body).toEqual(says(redacted ? "[redacted]" : `kept ${position}`));
    bodies.push(body);
  }
  expect(bodies).toHaveLength(kept);
  const { headDigest } = await store.head(id);
  expect((await store.prefix(id, kept)).digest).toBe(headDigest);
  await store.upkeep.rebase();
  let gone = 0;
  for (let pass = 0; pass < 2; pass += 1) gone += (await store.upkeep.collect({ graceMs: 0 })).gone.rows;
  expect(gone).toBeGreaterThan(0);
  expect(await rows()).toBe(kept);
});
