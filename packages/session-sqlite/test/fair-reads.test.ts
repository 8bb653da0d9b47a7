import { expect, test } from "vitest";
import { leasedSession, says, temporaryStore } from "./temporary-store.ts";

/** How often the event loop came round while something ran. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let counting = true;
  const count = (): void => {
    turns += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  await work();
  counting = false;
  return turns;
}

// S31, S34
test("long reads and dry runs let others have their turn after each page", async () => {
  const store = await temporaryStore();
  const { id, lease } = await leasedSession(store);
  const messages = Array.from({ length: 100 }, (_, index) => says(`${index}`));
  const { rev } = await store.append(id, { lease, expectedRev: 0, messages });
  const readAll = async (): Promise<void> => {
    for await (const row of store.read(id, { pageSize: 5 })) expect(row.kind).toBe("user");
  };
  expect(await turnsDuring(readAll)).toBeGreaterThanOrEqual(19);
  await store.cancel(id, { lease, expectedRev: rev, to: 0, reason: "wrong" });
  const look = () => store.upkeep.collect({ dryRun: true, stepSize: 5 });
  expect(await turnsDuring(look)).toBeGreaterThanOrEqual(20);
});
