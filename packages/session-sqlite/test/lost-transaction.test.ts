import { expect, test } from "vitest";
import { loadDriver, openSqliteStore } from "../src/index.ts";
import { faultyDriver, type FaultPlan } from "../src/testing/index.ts";
import { leasedSession, says, temporaryPath, temporaryStore } from "./temporary-store.ts";

const failure = (errcode: number): Error => Object.assign(new Error("made up"), { errcode });

/** A store whose driver follows a plan that may be changed while it runs. */
async function faultyStore(plan: FaultPlan, path = temporaryPath()) {
  return openSqliteStore(path, { driver: faultyDriver(await loadDriver(), plan) });
}

test("a callback that hides a failure which ended the transaction commits no half, and its neighbours succeed", async () => {
  const driver = await loadDriver();
  let striking = false;
  // A full disk or missing memory makes SQLite roll back by itself; here a second statement does so.
  const store = await temporaryStore({
    driver: {
      name: driver.name,
      open(path, options) {
        const connection = driver.open(path, options);
        const prepare: typeof connection.prepare = (sql, how) => {
          const statement = connection.prepare(sql, how);
          const run: typeof statement.run = (...values) => {
            if (striking && sql.includes("'strike'")) {
              connection.exec("ROLLBACK");
              throw failure(7);
            }
            return statement.run(...values);
          };
          return { ...statement, run };
        };
        return { ...connection, prepare };
      },
    },
  });
  const notes = await store.extend({ name: "notes", migrations: ["CREATE TABLE notes_of (text TEXT)"] });
  const { id, lease } = await leasedSession(store);
  striking = true;
  const outcomes = await Promise.allSettled([
    store.append(id, { lease, expectedRev: 0, messages: [says("a")] }),
    notes.transaction(({ sql }) => {
      sql.run("INSERT INTO notes_of VALUES ('half')");
      for (const text of ["strike", "other half"]) {
        try {
          sql.run(`INSERT INTO notes_of VALUES ('${text}')`);
        } catch {
          // A host that looks away.
        }
      }
    }),
    notes.transaction(({ sql }) => sql.run("INSERT INTO notes_of VALUES ('whole')")),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(outcomes[1]).toMatchObject({ reason: { message: "made up" } });
  expect(await notes.read(({ sql }) => sql.all("SELECT text FROM notes_of"))).toEqual([{ text: "whole" }]);
  expect((await store.head(id)).len).toBe(1);
});

// S30
test("a lock whose taking was reported as a failure is not kept by the handle that is given up", async () => {
  const path = temporaryPath();
  let striking = false;
  const store = await faultyStore(
    {
      after: ({ sql }) => {
        if (striking && sql === "BEGIN IMMEDIATE") throw failure(10);
      },
    },
    path,
  );
  const { id, lease } = await leasedSession(store);
  striking = true;
  const append = () => store.append(id, { lease, expectedRev: 0, messages: [says("a")] });
  await expect(append()).rejects.toMatchObject({ code: "store_unavailable" });
  striking = false;
  await expect(append()).resolves.toMatchObject({ len: 1 });
  await store.close();
  await temporaryStore({ path, busyTimeoutMs: 200 });
});

// S30
test.each([1, 2])(
  "a read that could not be ended (%i failures) blocks neither reads nor writes after it",
  async (failures) => {
    let left = 0;
    const store = await faultyStore({
      before: ({ sql }) => {
        if (sql === "ROLLBACK" && left > 0 && (left -= 1) >= 0) throw failure(10);
      },
    });
    const { id, lease } = await leasedSession(store);
    left = failures;
    await store.head(id);
    const first = await store
      .append(id, { lease, expectedRev: 0, messages: [says("a")] })
      .catch(() => undefined);
    const append = () => store.append(id, { lease, expectedRev: 0, messages: [says("a")] });
    expect((first ?? (await append())).len).toBe(1);
    expect((await store.head(id)).len).toBe(1);
    await store.close();
  },
);
