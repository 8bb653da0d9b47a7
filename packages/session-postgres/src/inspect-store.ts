import { connectOptions, quoted, type ConnectionLimits } from "./connect-options.ts";
import type { Connection } from "./connection.ts";
import { loadDriver } from "./driver.ts";
import { schemaVersion } from "./migrations.ts";
import { openFailure } from "./open-failure.ts";
import { Server } from "./server.ts";
import type { SqlRow } from "./sql.ts";

/** A store as it is looked at from outside: nothing is made, changed or locked. */
export interface PostgresStoreReport {
  /** Host, port and database. */
  readonly server: string;
  readonly schema: string;
  /** As the server names it. */
  readonly serverVersion: string;
  /** False before PostgreSQL 14, and for a database that is not in UTF-8. */
  readonly isSupported: boolean;
  readonly encoding: string;
  /** True for a standby, and where transactions are read-only. */
  readonly isReadOnly: boolean;
  /** The middle of five round trips. */
  readonly roundTripMs: number;
  /** Connections that the server takes, those of all its databases that are open, and the most that the user may open (-1: any). */
  readonly connections: { readonly most: number; readonly open: number; readonly ofUser: number };
  /** False when a commit that was answered may be lost with the machine: the server runs with `fsync = off`. */
  readonly isDurable: boolean;
  /** 0 where there is no store in the schema yet; undefined where the schema is another program's. */
  readonly schemaVersion: number | undefined;
  readonly supportedVersion: number;
  /** Of its messages; undefined without a store. */
  readonly shape: string | undefined;
  /** Namespaces of its hosts by name, with their versions. */
  readonly extensions: Readonly<Record<string, number>>;
  /** True when the user may make the schema, or tables in it. */
  readonly mayCreate: boolean;
  /** Tables that the user may not read and write. */
  readonly forbiddenTables: readonly string[];
  /** Undefined without a store that this release knows. */
  readonly contents:
    | {
        /** Sessions by state. */
        readonly sessions: Readonly<Record<string, number>>;
        /** Messages, as the server estimates them. */
        readonly messages: number;
        readonly bytes: number;
      }
    | undefined;
}

/**
 * Looks at a store from outside, on one connection that is closed again.
 *
 * @throws PostgresStoreError `invalid_option`, `driver_missing`, `server_unreachable`, `access_denied`, `database_missing`.
 */
export async function inspectPostgresStore(
  url: string,
  options: ConnectionLimits & { readonly schema?: string | undefined; readonly signal?: AbortSignal } = {},
): Promise<PostgresStoreReport> {
  const connect = connectOptions(url, { ...options, reconnectMs: 0 });
  options.signal?.throwIfAborted();
  const server = new Server(connect, await loadDriver());
  const since = performance.now();
  try {
    const { connection } = await server.acquireApart();
    try {
      return await inspect(connection, connect);
    } finally {
      connection.release();
    }
  } catch (error) {
    throw openFailure(connect, error, since);
  } finally {
    await server.close();
  }
}

const lookAtServer = `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS number,
  current_setting('server_encoding') AS encoding, current_setting('transaction_read_only') = 'on' AS is_read_only,
  current_setting('fsync') = 'on' AS is_durable, current_setting('max_connections')::integer AS most,
  (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::integer AS open,
  (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user)::integer AS of_user,
  coalesce((SELECT has_schema_privilege(nspname, 'CREATE') FROM pg_namespace WHERE nspname = $1),
    has_database_privilege(current_database(), 'CREATE')) AS may_create,
  to_regclass($2) IS NOT NULL AS is_store,
  (SELECT count(*) FROM pg_class JOIN pg_namespace AS space ON space.oid = relnamespace WHERE nspname = $1)::integer AS relations,
  (SELECT coalesce(array_agg(relname::text ORDER BY relname), '{}') FROM pg_class JOIN pg_namespace AS space ON space.oid = relnamespace
    WHERE nspname = $1 AND relkind = 'r' AND NOT (has_table_privilege(pg_class.oid, 'SELECT') AND has_table_privilege(pg_class.oid, 'INSERT')
      AND has_table_privilege(pg_class.oid, 'UPDATE') AND has_table_privilege(pg_class.oid, 'DELETE'))) AS forbidden`;

/** A row of `lookAtServer`. */
interface ServerFacts {
  readonly version: string;
  readonly number: number;
  readonly encoding: string;
  readonly is_read_only: boolean;
  readonly is_durable: boolean;
  readonly most: number;
  readonly open: number;
  readonly of_user: number | null;
  readonly may_create: boolean;
  readonly is_store: boolean;
  readonly relations: number;
  readonly forbidden: readonly string[];
}

async function inspect(
  connection: Connection,
  { server, schema }: { readonly server: string; readonly schema: string },
): Promise<PostgresStoreReport> {
  const roundTripMs = await timeRoundTrips(connection);
  const [row] = await connection.query(lookAtServer, [schema, `${quoted(schema)}.store_meta`]);
  const found = row as unknown as ServerFacts;
  const isReadable = found.is_store && found.forbidden.length === 0;
  return {
    server,
    schema,
    serverVersion: found.version,
    isSupported: found.number >= 140_000 && found.encoding === "UTF8",
    encoding: found.encoding,
    isReadOnly: found.is_read_only,
    roundTripMs,
    connections: { most: found.most, open: found.open, ofUser: found.of_user ?? -1 },
    isDurable: found.is_durable,
    supportedVersion: schemaVersion,
    mayCreate: found.may_create,
    forbiddenTables: found.forbidden,
    ...(isReadable
      ? await readStore(connection, schema)
      : {
          schemaVersion: found.is_store || found.relations === 0 ? 0 : undefined,
          shape: undefined,
          extensions: {},
          contents: undefined,
        }),
  };
}

async function readStore(
  connection: Connection,
  schema: string,
): Promise<Pick<PostgresStoreReport, "schemaVersion" | "shape" | "extensions" | "contents">> {
  const [meta, extensions] = await Promise.all([
    connection.query("SELECT name, value FROM store_meta WHERE name IN ('version', 'shape')"),
    connection.query("SELECT name, version FROM store_extension ORDER BY name"),
  ]);
  const values = new Map(meta.map(({ name, value }) => [name, String(value)]));
  const version = Number(values.get("version") ?? 0);
  return {
    schemaVersion: version,
    shape: values.get("shape"),
    extensions: byName(extensions, "version"),
    contents: version > schemaVersion ? undefined : await readContents(connection, schema),
  };
}

async function readContents(
  connection: Connection,
  schema: string,
): Promise<PostgresStoreReport["contents"]> {
  const [sessions, [size]] = await Promise.all([
    connection.query("SELECT state AS name, count(*)::integer AS count FROM session GROUP BY state"),
    connection.query(
      `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes,
         coalesce(max(reltuples) FILTER (WHERE relname = 'message'), 0)::bigint AS messages
       FROM pg_class WHERE relkind = 'r' AND relnamespace = $1::regnamespace`,
      [schema],
    ),
  ]);
  return {
    sessions: byName(sessions, "count"),
    messages: Math.max(0, Number(size?.["messages"] ?? 0)),
    bytes: Number(size?.["bytes"] ?? 0),
  };
}

function byName(rows: readonly SqlRow[], column: string): Readonly<Record<string, number>> {
  return Object.fromEntries(rows.map((row) => [String(row["name"]), Number(row[column])]));
}

async function timeRoundTrips(connection: Connection): Promise<number> {
  const times: number[] = [];
  for (let number = 0; number < 5; number += 1) {
    const begun = performance.now();
    await connection.command("SELECT 1");
    times.push(performance.now() - begun);
  }
  return times.toSorted((a, b) => a - b)[2]!;
}
