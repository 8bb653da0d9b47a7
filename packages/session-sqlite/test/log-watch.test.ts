import { expect, test } from "vitest";
import { loadDriver } from "../src/index.ts";
import { leasedSession, says, temporaryPath, temporaryStore } from "./temporary-store.ts";

// S34
test("a reader that never ends is told of, and writes are refused before the log fills the disk", async () => {
  const path = temporaryPath();
  const grown: number[] = [];
  const maxLogBytes = 8_000_000;
  const onLogGrowth = (bytes: number): void => {
    grown.push(bytes);
    throw new Error("telemetry may fail");
  };
  const store = await temporaryStore({ path, maxLogBytes, onLogGrowth });
  const { id, lease } = await leasedSession(store);
  let rev = 0;
  const append = async () =>
    ({ rev } = await store.append(id, { lease, expectedRev: rev, messages: [says("x".repeat(8000))] }));
  for (let n = 0; n < 400; n += 1) await append();
  expect(grown).toEqual([]); // nobody reads: the log is folded in time

  const reader = (await loadDriver()).open(path);
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM message").get();
  const refused = await (async () => {
    for (let n = 0; n < 1000; n += 1) await append();
    return undefined;
  })().catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "store_unavailable", details: { reason: "log_full" } });
  await expect(append()).rejects.toMatchObject({ details: { reason: "log_full" } });
  expect(grown.length).toBeGreaterThan(1);
  expect(grown.every((bytes, at) => bytes >= (grown[at - 1] ?? maxLogBytes / 16) * 2)).toBe(true);
  expect((await store.head(id)).rev).toBe(rev);

  reader.exec("COMMIT");
  await append();
  reader.close();
});
