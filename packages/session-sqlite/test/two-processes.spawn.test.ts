import { execFileSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadDriver } from "../src/index.ts";
import { hostIdentity } from "../src/store-file.ts";
import { faultyDriver } from "../src/testing/index.ts";
import { runStoreProcess } from "./store-processes.ts";
import { leasedSession, says, temporaryPath, temporaryStore } from "./temporary-store.ts";

const success = { code: 0, signal: null, errors: "" };

// F109
test("three processes write to one file at once, and nothing is lost or refused", async () => {
  const path = temporaryPath();
  const store = await temporaryStore({ path });
  const { id, lease } = await leasedSession(store);
  const ended = new AbortController();
  const others = Promise.all([
    runStoreProcess(path, "fifty-appends"),
    runStoreProcess(path, "fifty-appends"),
  ]);
  void others.finally(() => ended.abort());
  let own = 0;
  while (!ended.signal.aborted) {
    await store.append(id, { lease, expectedRev: own, messages: [says("own")] });
    own += 1;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  expect(await others).toEqual([success, success]);
  const written = (await store.listSessions()).items.map(({ len, rev }) => `${len} at ${rev}`);
  expect(written).toEqual([`${own} at ${own}`, "50 at 50", "50 at 50"]);
});

// D20, S30: what a crash and another container have left keeps nobody out, also when several come at once
test("processes that come to an earlier release's file at once bring it up together, whatever marks it has", async () => {
  const path = temporaryPath();
  copyFileSync(new URL("fixtures/v3.sqlite", import.meta.url), path);
  const { bootId, hostId } = hostIdentity();
  const connection = (await loadDriver()).open(path);
  for (const [pid, host] of [
    [process.ppid, hostId],
    [1, "another container"],
  ] as const)
    connection.exec(`INSERT INTO store_opener VALUES ('of ${pid}', '${host}', '${bootId}', ${pid}, 7)`);
  connection.close();
  const ended = await Promise.all(["a", "b", "c", "d"].map(() => runStoreProcess(path, "fifty-appends")));
  expect(ended).toEqual([success, success, success, success]);
});

// F110
test("a lease that another process took over makes the old one stale", async () => {
  const path = temporaryPath();
  const store = await temporaryStore({ path });
  const { id } = await store.createSession({ member: "planner", role: "general" });
  const lease = await store.acquireLease(id, { owner: "slow", ttlMs: 1 });
  await store.append(id, { lease, expectedRev: 0, messages: [says("first")] });
  expect(await runStoreProcess(path, "take-over")).toEqual(success);
  const late = store.append(id, { lease, expectedRev: 1, messages: [says("late")] });
  await expect(late).rejects.toMatchObject({ code: "stale_fence", details: { epoch: 1, current: 2 } });
  expect(await store.head(id)).toMatchObject({ len: 2, rev: 2, lease: { owner: "taker" } });
});

const opens = `import { openSqliteStore } from "@mobkit/session-sqlite";
await (await openSqliteStore(process.argv[1])).close();`;

test("a file that another process makes a store between two looks is no foreign one", async () => {
  const path = temporaryPath();
  let looks = 0;
  const driver = faultyDriver(await loadDriver(), {
    after: ({ operation }) => {
      looks += operation === "get" ? 1 : 0;
      if (operation !== "get" || looks > 1) return;
      execFileSync(process.execPath, ["--input-type=module", "--eval", opens, path], {
        cwd: import.meta.dirname,
      });
    },
  });
  const store = await temporaryStore({ path, driver });
  expect((await store.listSessions()).items).toEqual([]);
  expect(looks).toBeGreaterThan(1);
});
