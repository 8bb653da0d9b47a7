import { copyFileSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadDriver, openSqliteStore } from "../src/index.ts";
import { faultyDriver } from "../src/testing/index.ts";
import { leasedSession, says, temporaryDirectory, temporaryPath, temporaryStore } from "./temporary-store.ts";

test("the connection syncs every commit in full and trusts no schema", async () => {
  const store = await temporaryStore();
  const looker = await store.extend({ name: "looker", migrations: [] });
  const settings = await looker.read(({ sql }) =>
    ["synchronous", "foreign_keys", "trusted_schema"].map((name) => sql.get(`SELECT * FROM pragma_${name}`)),
  );
  expect(settings).toEqual([{ synchronous: 2 }, { foreign_keys: 1 }, { trusted_schema: 0 }]);
});

test("more statements than are kept prepared still run", async () => {
  const store = await temporaryStore();
  const asker = await store.extend({ name: "asker", migrations: [] });
  const sum = await asker.read(({ sql }) => {
    let total = 0;
    for (let n = 0; n < 600; n += 1) total += Number(sql.get(`SELECT ${n} AS n`)?.["n"]);
    return total;
  });
  expect(sum).toBe((599 * 600) / 2);
  expect((await store.listSessions()).items).toEqual([]);
});

// S30
test("after a failed commit the store opens its own file again, and refuses one that took its place", async () => {
  const path = temporaryPath();
  let failing = false;
  const driver = faultyDriver(await loadDriver(), {
    before: ({ sql }) => {
      if (failing && sql === "COMMIT") throw Object.assign(new Error("made up"), { errcode: 10 });
    },
  });
  const store = await temporaryStore({ path, driver });
  const { id, lease } = await leasedSession(store);
  const append = () => store.append(id, { lease, expectedRev: 0, messages: [says("a")] });
  const unknown = { code: "store_unavailable", details: { reason: "commit_unknown" } };
  failing = true;
  await expect(append()).rejects.toMatchObject(unknown);
  failing = false;
  expect((await store.head(id)).len).toBe(0);
  failing = true;
  await expect(append()).rejects.toMatchObject(unknown);
  copyFileSync(path, `${path}.copy`);
  renameSync(`${path}.copy`, path);
  await expect(store.head(id)).rejects.toMatchObject({ details: { reason: "replaced" } });
});

test.each([
  ["removed", () => undefined],
  ["replaced", (path: string) => copyFileSync(`${path}.copy`, path)],
])("a write after the file was %s is refused, not acknowledged and lost", async (_what, act) => {
  const path = temporaryPath();
  const store = await temporaryStore({ path });
  const { id, lease } = await leasedSession(store);
  await store.append(id, { lease, expectedRev: 0, messages: [says("a")] });
  copyFileSync(path, `${path}.copy`);
  renameSync(path, `${path}.old`);
  act(path);
  const late = store.append(id, { lease, expectedRev: 1, messages: [says("b")] });
  await expect(late).rejects.toMatchObject({ code: "store_unavailable", details: { reason: "replaced" } });
  await store.close();
  const moved = await temporaryStore({ path: `${path}.old` });
  expect((await moved.head(id)).len).toBe(1);
});

test("a link to nothing is no store, a link to a store is", async () => {
  const directory = temporaryDirectory();
  const [link, path] = [join(directory, "link.db"), join(directory, "store.db")];
  symlinkSync(path, link);
  await expect(openSqliteStore(link)).rejects.toMatchObject({ code: "not_a_store", details: { path: link } });
  await (await openSqliteStore(path)).close();
  await temporaryStore({ path: link });
});
