import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadDriver, openSqliteStore } from "@mobkit/session-sqlite";
import { faultyDriver } from "@mobkit/session-sqlite/testing";
import { expect, onTestFinished, test } from "vitest";
import { createForks } from "../src/index.ts";
import { story } from "./support/messages.ts";
import { recordingProvisioner } from "./support/provisioners.ts";
import { seed } from "./support/sessions.ts";

// F107, D22, record 0023: each commit is one sync (WAL, FULL).
test("a whole fork on SQLite is two commits and eighteen statements, at any length, keyed or not", async () => {
  const directory = mkdtempSync(join(tmpdir(), "fork-cost-"));
  const statements: string[] = [];
  const driver = faultyDriver(await loadDriver(), {
    // Looked at by time, ten times a second.
    before: ({ sql }) => void (sql === "PRAGMA user_version" || statements.push(sql)),
  });
  const store = await openSqliteStore(join(directory, "store.db"), { driver });
  onTestFinished(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });
  const forks = createForks({ store, provisioner: recordingProvisioner() });
  await seed(store, "short", story);
  await seed(
    store,
    "long",
    Array.from({ length: 1000 }, (_, at) => ({ role: "user" as const, content: `${at}` })),
  );
  const counts: unknown[] = [];
  for (const source of ["short", "long"]) {
    await forks.forkMember(source, { identity: `${source}-warm`, role: "general" });
    statements.length = 0;
    await forks.forkMember(source, { identity: `${source}-child`, role: "general" });
    counts.push([statements.filter((sql) => sql === "COMMIT").length, statements.length]);
    statements.length = 0;
    const keyed = { idempotencyKey: `${source}-key` };
    await forks.forkMember(source, { identity: `${source}-keyed`, role: "general" }, keyed);
    counts.push(statements.filter((sql) => sql === "COMMIT").length);
  }
  expect(counts).toEqual([[2, 18], 2, [2, 18], 2]);
});
