import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureTopic } from "../../harness/measure-topic.mjs";
import { own, repository } from "../../harness/places.mjs";
import { PostgresServer } from "../../../packages/session-postgres/test/server/postgres-server.mjs";
import { LENGTHS, messageOf } from "../store/bodies.mjs";

const AT_ONCE = 1000;
const HOUR_MS = 3_600_000;

/** The driver that the store uses. */
export const { default: pg } = await import(
  createRequire(join(repository, "packages/session-postgres/package.json")).resolve("pg")
);

/** The database of this run: BASIS_TEST_POSTGRES_URL, else a server that syncs every commit, for as long as the topic is measured. */
export async function measureOnDatabase(topic, options) {
  const given = process.env.BASIS_TEST_POSTGRES_URL;
  const server = given ? undefined : await startServer(options.work);
  const place = { url: given ?? server.url, schema: `benchmark_${process.pid}` };
  writeFileSync(join(options.work, "postgres.json"), JSON.stringify(place));
  try {
    await fill(place);
    return await measureTopic(topic, options);
  } finally {
    await dropSchema(place);
    await server?.dispose();
  }
}

/** Where the cases' processes find it. @returns {{ url: string, schema: string }} */
export function placeOf(work) {
  return JSON.parse(readFileSync(join(work, "postgres.json"), "utf8"));
}

/** On the checkout's own disk, unless the server's user can't enter the checkout. */
async function startServer(work) {
  try {
    return await PostgresServer.start({ durable: true, under: work });
  } catch {
    return PostgresServer.start({ durable: true, under: tmpdir() });
  }
}

/** Sessions of all lengths, and a plain table as full as the store's. */
async function fill({ url, schema }) {
  const { openPostgresStore } = await own("packages/session-postgres/dist/index.js");
  const store = await openPostgresStore(url, { schema });
  for (const { length, sessions } of LENGTHS)
    for (let at = 0; at < sessions; at += 1)
      await fillSession(store, { member: memberOf(length, at), length });
  await store.close();
  await query(url, `CREATE TABLE "${schema}".bare_session (key bigint PRIMARY KEY, len bigint NOT NULL)`);
  await query(
    url,
    `CREATE TABLE "${schema}".bare (session bigint, seq bigint, body text, PRIMARY KEY (session, seq))`,
  );
  await query(
    url,
    `INSERT INTO "${schema}".bare SELECT 1, n, repeat('x', 200) FROM generate_series(1, 120000) AS n`,
  );
  await query(url, "VACUUM ANALYZE");
}

async function fillSession(store, { member, length }) {
  const { id } = await store.createSession({ member, role: "general" });
  const lease = await store.acquireLease(id, { owner: "fixture", ttlMs: HOUR_MS });
  let rev = 0;
  for (let from = 0; from < length; from += AT_ONCE) {
    const messages = Array.from({ length: Math.min(AT_ONCE, length - from) }, (_, at) =>
      messageOf(from + at),
    );
    ({ rev } = await store.append(id, { lease, expectedRev: rev, messages }));
  }
  await store.releaseLease(lease);
}

/** The store's, and the one that the peer makes beside it. */
async function dropSchema({ url, schema }) {
  for (const name of [schema, `${schema}_langgraph`])
    await query(url, `DROP SCHEMA IF EXISTS "${name}" CASCADE`);
}

async function query(url, text) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** The name of a filled session. */
export function memberOf(length, at) {
  return `member-${length}-${at}`;
}
