import { SessionError } from "@mobkit/session";
import type { Connection } from "./connection.ts";
import { quoted, type ConnectOptions } from "./connect-options.ts";
import { schemaVersions } from "./schema.ts";
import { sqlFailure } from "./sql-failure.ts";
import { isServerError } from "./store-failure.ts";
import { PostgresStoreError } from "./store-error.ts";

/** The schema version that this release reads and writes. */
export const schemaVersion: number = schemaVersions.length;

/** PostgreSQL 14 and later: the time limits and the ending of a process that the store relies on. */
const leastServer = 140_000;

/** One step of a schema: the whole of `sql` happens or nothing of it. */
export interface MigrationScript {
  readonly schema: string;
  readonly name: string;
  readonly version: number;
  readonly sql: string;
}

/**
 * Brings a schema to this release's version and checks what its messages are, in one transaction under a lock that one
 * opener holds at a time. A schema that is up to date is only read. A crash leaves the old version or the new one.
 *
 * @throws PostgresStoreError `server_unsupported`, `not_a_store`, `rights_missing`, `migration_failed`.
 * @throws SessionError `store_newer`, `shape_mismatch`.
 */
export async function migrate(connection: Connection, options: ConnectOptions, shape: string): Promise<void> {
  await checkServer(connection, options);
  if (await isUpToDate(connection, options, shape)) return;
  await inSchemaLock(connection, options.schema, async () => {
    if (await isUpToDate(connection, options, shape)) return;
    await createSchema(connection, options);
    const found = await versionOf(connection, options);
    for (let next = found; next < schemaVersion; next += 1) {
      const script = { schema: options.schema, name: "store", version: next + 1, sql: schemaVersions[next]! };
      await applyScript(connection, script);
    }
    await connection.query(
      "INSERT INTO store_meta (name, value) VALUES ('version', $1) ON CONFLICT (name) DO UPDATE SET value = $1",
      [String(schemaVersion)],
    );
    await connection.query(
      "INSERT INTO store_meta (name, value) VALUES ('shape', $1) ON CONFLICT (name) DO NOTHING",
      [shape],
    );
  });
}

/** Runs `work` in a transaction while no other opener of the schema is inside. */
export async function inSchemaLock<T>(
  connection: Connection,
  schema: string,
  work: () => Promise<T>,
): Promise<T> {
  await connection.command("BEGIN");
  try {
    await connection.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`mobkit ${schema}`]);
    const answer = await work();
    await connection.command("COMMIT");
    return answer;
  } catch (error) {
    await connection.command("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** Runs one script inside the open transaction. @throws PostgresStoreError `migration_failed`, `rights_missing`. */
export async function applyScript(connection: Connection, script: MigrationScript): Promise<void> {
  const { schema, name, version, sql } = script;
  try {
    await connection.command(sql);
  } catch (cause) {
    if (!isServerError(cause) || ["lost", "waited", "conflict"].includes(sqlFailure(cause))) throw cause;
    const message = `migration ${version} of "${name}" failed in schema ${schema}: ${cause.message}`;
    throw new PostgresStoreError("migration_failed", message, { details: { schema, name, version }, cause });
  }
}

async function checkServer(connection: Connection, { server }: ConnectOptions): Promise<void> {
  const [row] = await connection.query(
    `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_version') AS named,
     current_setting('server_encoding') AS encoding`,
  );
  const { version, named, encoding } = row as { version: number; named: string; encoding: string };
  const reason =
    version < leastServer
      ? `it is PostgreSQL ${named}; 14 or later is needed`
      : encoding !== "UTF8"
        ? `the database's encoding is ${encoding}; UTF8 is needed`
        : undefined;
  if (reason === undefined) return;
  throw new PostgresStoreError("server_unsupported", `${server}: ${reason}`, { details: { server, reason } });
}

/** @throws SessionError `store_newer`, `shape_mismatch`. @throws PostgresStoreError `not_a_store`. */
async function isUpToDate(connection: Connection, options: ConnectOptions, shape: string): Promise<boolean> {
  const found = await versionOf(connection, options);
  if (found > schemaVersion) {
    const message = `schema ${options.schema} of ${options.server} was written by a newer release: it has version ${found}, and this release knows up to ${schemaVersion}: update @mobkit/session-postgres`;
    throw new SessionError("store_newer", message, { details: { stored: found, supported: schemaVersion } });
  }
  if (found === 0) return false;
  const [row] = await connection.query("SELECT value FROM store_meta WHERE name = 'shape'");
  const stored = String(row?.["value"]);
  if (row !== undefined && stored !== shape) {
    const message = `schema ${options.schema} of ${options.server} holds messages of shape ${stored}, not ${shape}`;
    throw new SessionError("shape_mismatch", message, { details: { stored, given: shape } });
  }
  return found === schemaVersion;
}

/** 0 for a schema that is missing or empty. */
async function versionOf(connection: Connection, { schema, server }: ConnectOptions): Promise<number> {
  const [row] = await connection.query(
    `SELECT to_regclass($1)::text AS meta, (SELECT count(*) FROM pg_class JOIN pg_namespace AS space
       ON space.oid = relnamespace WHERE nspname = $2)::integer AS relations`,
    [`${quoted(schema)}.store_meta`, schema],
  );
  if (row!["meta"] === null) {
    if (row!["relations"] === 0) return 0;
    const reason = "it holds tables of another program";
    throw new PostgresStoreError(
      "not_a_store",
      `schema ${schema} of ${server} is no session store: ${reason}`,
      {
        details: { server, schema, reason },
      },
    );
  }
  const [version] = await connection.query("SELECT value FROM store_meta WHERE name = 'version'");
  return Number(version?.["value"] ?? 0);
}

async function createSchema(connection: Connection, { schema, server }: ConnectOptions): Promise<void> {
  const [found] = await connection.query(
    "SELECT has_schema_privilege(nspname, 'CREATE') AS may FROM pg_namespace WHERE nspname = $1",
    [schema],
  );
  if (found?.["may"] === true) return;
  const [database] = await connection.query(
    "SELECT has_database_privilege(current_database(), 'CREATE') AS may",
  );
  if (found === undefined && database?.["may"] === true) {
    await connection.command(`CREATE SCHEMA ${quoted(schema)}`);
    return;
  }
  const reason =
    found === undefined
      ? "it does not exist, and this user may not create it (CREATE on the database)"
      : "this user may not create tables in it (CREATE on the schema)";
  throw new PostgresStoreError("rights_missing", `schema ${schema} of ${server}: ${reason}`, {
    details: { server, schema, reason },
  });
}
