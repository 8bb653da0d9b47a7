import { expect, test } from "vitest";
import { inspectPostgresStore } from "../src/index.ts";
import {
  databaseUrl,
  freshSchema,
  leasedSession,
  runSql,
  says,
  temporaryStore,
} from "./support/test-database.ts";

test("a store is looked at from outside: what it is, what it holds, and how far away it is", async () => {
  const store = await temporaryStore();
  const { id, lease } = await leasedSession(store);
  await store.append(id, { lease, expectedRev: 0, messages: [says("a")] });
  await store.extend({ name: "notes", migrations: ["CREATE TABLE notes_of (id integer)"] });
  const report = await inspectPostgresStore(databaseUrl(), { schema: store.schema });
  expect(report).toMatchObject({
    server: store.server,
    schema: store.schema,
    isSupported: true,
    encoding: "UTF8",
    isReadOnly: false,
    schemaVersion: report.supportedVersion,
    shape: store.shape.name,
    extensions: { notes: 1 },
    mayCreate: true,
    forbiddenTables: [],
    contents: { sessions: { ready: 1 } },
  });
  expect(report.roundTripMs).toBeGreaterThan(0);
  expect(report.connections.most).toBeGreaterThanOrEqual(report.connections.open);
});

test("a look makes nothing, and tells a schema without a store from another program's and a later release's", async () => {
  const schema = freshSchema();
  const look = () => inspectPostgresStore(databaseUrl(), { schema });
  expect(await look()).toMatchObject({ schemaVersion: 0, contents: undefined });
  expect(await runSql("SELECT 1 FROM pg_namespace WHERE nspname = $1", { values: [schema] })).toEqual([]);
  await runSql(`CREATE SCHEMA "${schema}"; CREATE TABLE "${schema}".other (id integer)`);
  expect(await look()).toMatchObject({ schemaVersion: undefined });
  const store = await temporaryStore();
  await runSql("UPDATE store_meta SET value = '99' WHERE name = 'version'", { schema: store.schema });
  const later = await inspectPostgresStore(databaseUrl(), { schema: store.schema });
  expect(later).toMatchObject({ schemaVersion: 99, contents: undefined });
});

test("a user who may not write is told from one who may, and a server that is not there is refused", async () => {
  const store = await temporaryStore();
  const reader = `reader_${store.schema}`;
  await runSql(`CREATE ROLE "${reader}" LOGIN; GRANT USAGE ON SCHEMA "${store.schema}" TO "${reader}";
    GRANT SELECT ON ALL TABLES IN SCHEMA "${store.schema}" TO "${reader}"`);
  const url = new URL(databaseUrl());
  url.username = reader;
  const { forbiddenTables, mayCreate } = await inspectPostgresStore(url.href, { schema: store.schema });
  expect(forbiddenTables).toContain("message");
  expect(mayCreate).toBe(false);
  await runSql(`DROP OWNED BY "${reader}"; DROP ROLE "${reader}"`);
  const nowhere = inspectPostgresStore("postgres://u:secret@127.0.0.1:1/x");
  await expect(nowhere).rejects.toMatchObject({ code: "server_unreachable" });
});
