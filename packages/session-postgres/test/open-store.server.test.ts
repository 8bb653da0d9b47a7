import type { ModelMessage } from "@mobkit/session";
import { beforeAll, describe, expect, test } from "vitest";
import { openPostgresStore, PostgresStoreError, type PostgresStoreOptions } from "../src/index.ts";
import { PostgresServer } from "./server/postgres-server.mjs";
import {
  databaseUrl,
  dropSchema,
  freshSchema,
  leasedSession,
  runSql,
  says,
  temporaryStore,
} from "./support/test-database.ts";

type Options = PostgresStoreOptions<ModelMessage> & { readonly shape?: undefined };

/** A way to the test database for somebody else. */
function urlOf(changes: { user?: string; password?: string; database?: string; port?: string }): string {
  const url = new URL(databaseUrl());
  if (changes.user !== undefined) url.username = changes.user;
  if (changes.password !== undefined) url.password = changes.password;
  if (changes.database !== undefined) url.pathname = `/${changes.database}`;
  if (changes.port !== undefined) url.port = changes.port;
  return url.href;
}

/** What an opening that fails is refused with. */
async function refusal(url: string, options: object = {}): Promise<unknown> {
  const opened = await openPostgresStore(url, options as Options).catch((error: unknown) => error);
  if (opened instanceof Error) return opened;
  await (opened as { close(): Promise<void> }).close();
  return undefined;
}

test("an empty database gets the schema; opened again, and by many at once, it is used as it is", async () => {
  const store = await temporaryStore();
  const { id } = await store.createSession({ member: "planner", role: "general" });
  const again = await Promise.all([1, 2, 3, 4].map(() => temporaryStore({ schema: store.schema })));
  for (const one of again) expect(await one.head(id)).toMatchObject({ id });
  const schema = freshSchema();
  const openers = await Promise.all([1, 2, 3, 4].map(() => openPostgresStore(databaseUrl(), { schema })));
  await Promise.all(openers.map((one) => one.close()));
  await dropSchema(schema);
});

test.each([
  ["mysql://localhost/x", {}],
  ["not a url", {}],
  ["postgres://localhost/x", { schema: 'x"; DROP SCHEMA y' }],
  ["postgres://localhost/x", { schema: "pg_mine" }],
  ["postgres://localhost/x", { schema: "" }],
])("%s with %j is no place for a store", async (url, options) => {
  expect(await refusal(url, options)).toMatchObject({ code: "invalid_option" });
});

test.each([
  { maxConnections: 0 },
  { busyTimeoutMs: -1 },
  { statementTimeoutMs: 1.5 },
  { idleInTransactionMs: 0 },
  { reconnectMs: "5" as never },
])("the limit %j is refused", async (options) => {
  expect(await refusal(databaseUrl(), options)).toMatchObject({ code: "invalid_request" });
});

test("loose modes of TLS stay as strict as the driver takes them, and it warns of none", async () => {
  const warnings: string[] = [];
  const hear = ({ message }: Error): void => void warnings.push(message);
  process.on("warning", hear);
  const url = `${databaseUrl()}?sslmode=require`;
  expect(await refusal(url)).toMatchObject({
    code: "server_unreachable",
    details: { reason: "The server does not support SSL connections" },
  });
  process.off("warning", hear);
  expect(warnings).toEqual([]);
});

test("nobody who listens, no such host and no such database are told apart", async () => {
  expect(await refusal(urlOf({ port: "1" }))).toMatchObject({ code: "server_unreachable" });
  expect(await refusal("postgres://nowhere.invalid:5432/x")).toMatchObject({ code: "server_unreachable" });
  expect(await refusal(urlOf({ database: "nothing_here" }))).toMatchObject({
    code: "database_missing",
    details: { database: "nothing_here" },
  });
});

describe("a server that asks for passwords", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start({ accessRules: ["host all guarded 127.0.0.1/32 scram-sha-256"] });
    await runSql(
      "CREATE ROLE guarded LOGIN PASSWORD 'right'; GRANT CREATE ON DATABASE postgres TO guarded",
      server,
    );
    return () => server.dispose();
  });

  const as = (password: string): string =>
    `postgres://guarded${password && `:${password}`}@127.0.0.1:${server.port}/postgres`;

  test.each(["wrong", ""])("refuses the password %j, and no error repeats it", async (password) => {
    const error = (await refusal(as(password))) as Error;
    expect(error).toMatchObject({ code: "access_denied", details: { user: "guarded" } });
    expect(`${error.message}${JSON.stringify(error)}`).not.toContain(password || "right");
  });

  test("says that a password is missing, and leaves no socket to hold the process", async () => {
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
    const before = sockets();
    expect(await refusal(as(""))).toMatchObject({
      details: { reason: "it asks for a password, and none was given" },
    });
    while (sockets() > before) await new Promise((resolve) => setImmediate(resolve));
  });

  test("lets the right one in", async () => {
    expect(await refusal(as("right"))).toBeUndefined();
  });
});

test("a user without rights is told which one is missing; with it the store opens", async () => {
  const schema = freshSchema();
  const role = `role_${schema}`;
  await runSql(`CREATE ROLE ${role} LOGIN`);
  const url = urlOf({ user: role });
  expect(await refusal(url, { schema })).toMatchObject({ code: "rights_missing", details: { schema } });
  await runSql(`CREATE SCHEMA ${schema}`);
  expect(await refusal(url, { schema })).toMatchObject({ code: "rights_missing" });
  await runSql(`GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}`);
  expect(await refusal(url, { schema })).toBeUndefined();
  await dropSchema(schema);
  await runSql(`DROP ROLE ${role}`);
});

test("a database in another encoding is refused", async () => {
  const name = `latin_${freshSchema()}`;
  await runSql(`CREATE DATABASE ${name} ENCODING 'SQL_ASCII' TEMPLATE template0`);
  expect(await refusal(urlOf({ database: name }))).toMatchObject({ code: "server_unsupported" });
  await runSql(`DROP DATABASE ${name}`);
});

test("another program's schema, a later release's and another shape's are refused and stay as they are", async () => {
  const schema = freshSchema();
  await runSql(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.mine (a text)`);
  expect(await refusal(databaseUrl(), { schema })).toMatchObject({ code: "not_a_store" });
  await dropSchema(schema);
  const store = await temporaryStore();
  const shape = { name: "other@1", inspect: () => ({ kind: "user" as const, opens: [], closes: [] }) };
  expect(await refusal(databaseUrl(), { schema: store.schema, shape })).toMatchObject({
    code: "shape_mismatch",
    details: { given: "other@1" },
  });
  await runSql("UPDATE store_meta SET value = '99' WHERE name = 'version'", { schema: store.schema });
  expect(await refusal(databaseUrl(), { schema: store.schema })).toMatchObject({
    code: "store_newer",
    details: { stored: 99, supported: 1 },
  });
});

test("a migration that fails half-way leaves nothing behind", async () => {
  const schema = freshSchema();
  const role = `role_${schema}`;
  await runSql(`CREATE ROLE ${role} LOGIN; CREATE SCHEMA ${schema}; GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role};
    ALTER ROLE ${role} SET temp_file_limit = -1`);
  await runSql(`REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC`);
  const error = await refusal(urlOf({ user: role }), { schema });
  await runSql(`GRANT USAGE ON LANGUAGE plpgsql TO PUBLIC`);
  expect(error).toBeInstanceOf(PostgresStoreError);
  expect(error).toMatchObject({ code: "migration_failed", details: { name: "store", version: 1 } });
  const left = await runSql("SELECT 1 FROM pg_class WHERE relnamespace = $1::regnamespace", {
    values: [schema],
  });
  expect(left).toEqual([]);
  expect(await refusal(urlOf({ user: role }), { schema })).toBeUndefined();
  await dropSchema(schema);
  await runSql(`DROP ROLE ${role}`);
});

test("a statement beyond its time, a lock that isn't free and a connection that isn't are busy, and leave nothing", async () => {
  const store = await temporaryStore({ busyTimeoutMs: 150, statementTimeoutMs: 400, maxConnections: 2 });
  const { id, lease } = await leasedSession(store);
  const slow = await store.extend({ name: "slow", migrations: [] });
  const sleep = slow.transaction(({ sql }) => sql.all("SELECT pg_sleep(5)"));
  await expect(sleep).rejects.toMatchObject({ code: "57014" });
  const other = await temporaryStore({ schema: store.schema });
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  let held: () => void = () => undefined;
  const isHeld = new Promise<void>((resolve) => (held = resolve));
  const holding = other.transact(lease, async () => {
    held();
    await opened;
  });
  await isHeld;
  const append = store.append(id, { lease, expectedRev: 0, messages: [says("a")] });
  await expect(append).rejects.toMatchObject({ code: "busy" });
  open();
  await holding;
  const wait = new Promise((resolve) => setTimeout(resolve, 300));
  const both = [1, 2].map(() => slow.transaction(() => wait));
  await expect(store.head(id)).rejects.toMatchObject({ code: "busy" });
  await Promise.all(both);
  expect(await store.append(id, { lease, expectedRev: 0, messages: [says("a")] })).toMatchObject({ len: 1 });
});

test("tables that are gone, and a standby's refusal to write, are told", async () => {
  const store = await temporaryStore();
  await store.createSession({ member: "planner", role: "general" });
  const url = new URL(databaseUrl());
  url.searchParams.set("options", "-c default_transaction_read_only=on");
  const standby = await temporaryStore({ schema: store.schema, url: url.href });
  const write = standby.createSession({ member: "other", role: "general" });
  await expect(write).rejects.toMatchObject({ code: "store_unavailable", details: { reason: "read_only" } });
  expect((await standby.listSessions()).items).toHaveLength(1);
  await dropSchema(store.schema);
  await expect(store.listSessions()).rejects.toMatchObject({ details: { reason: "schema_lost" } });
});

test("close waits for what is under way, refuses what comes later, and may be called twice", async () => {
  const store = await temporaryStore({ maxConnections: 2 });
  const { id, lease } = await leasedSession(store);
  const writes = [store.append(id, { lease, expectedRev: 0, messages: [says("a")] }), store.head(id)];
  const closed = Promise.all([store.close(), store.close()]);
  expect((await Promise.all(writes))[0]).toMatchObject({ len: 1 });
  await closed;
  await expect(store.head(id)).rejects.toMatchObject({ details: { reason: "closed" } });
});

test("a signal ends the wait for a connection, and an aborted call does nothing", async () => {
  const store = await temporaryStore({ maxConnections: 1 });
  const { id, lease } = await leasedSession(store);
  const extension = await store.extend({ name: "slow", migrations: [] });
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const holding = extension.transaction(() => opened);
  const leaving = new AbortController();
  const request = { lease, expectedRev: 0, messages: [says("a")], signal: leaving.signal };
  const waiting = store.append(id, request);
  leaving.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  open();
  await holding;
  await expect(store.append(id, request)).rejects.toThrow("gone");
  expect(await store.head(id)).toMatchObject({ len: 0 });
});
