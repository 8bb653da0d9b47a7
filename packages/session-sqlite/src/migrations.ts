import { SessionError } from "@mobkit/session";
import { driverFailure } from "./driver.ts";
import { refuseOpeners } from "./earlier-openers.ts";
import { refuseForeignHosts, type HostMarkerOptions } from "./host-marker.ts";
import type { StoreConnection } from "./store-connection.ts";
import { schemaVersions } from "./schema.ts";
import { SqliteStoreError } from "./store-error.ts";
import { notAStore } from "./store-file.ts";

/** Marks a file as a session store: the ASCII letters "mkSS" in SQLite's header. */
export const applicationId = 0x6d6b5353;

/** The schema version that this release reads and writes. */
export const schemaVersion: number = schemaVersions.length;

/** How a file is migrated. */
export interface MigrationOptions extends HostMarkerOptions {
  /** What `sweepOpeners` has answered. */
  readonly isSwept?: boolean | undefined;
}

/**
 * Brings a file to this release's schema in one transaction: a crash leaves the old version or the new one.
 * The caller holds no transaction.
 *
 * @throws SqliteStoreError `not_a_store`, `store_older` (read-only), `foreign_host`, `in_use`, `migration_failed`.
 * @throws SessionError `store_newer`.
 */
export async function migrate(connection: StoreConnection, options: MigrationOptions = {}): Promise<void> {
  const found = await connection.patiently(() => readVersion(connection));
  if (found === schemaVersion) return;
  if (connection.readOnly) throw olderStore(connection, found);
  await connection.change(() => {
    const first = readVersion(connection);
    if (first > 0 && first < schemaVersion) {
      refuseForeignHosts(connection, options);
      refuseOpeners(connection, options);
    }
    for (let next = first; next < schemaVersion; next += 1) {
      applyScript(connection, { name: "store", version: next + 1, sql: schemaVersions[next]! });
    }
    connection.exec(`PRAGMA application_id = ${applicationId}`);
    connection.exec(`PRAGMA user_version = ${schemaVersion}`);
  });
}

/**
 * The schema version of a file; 0 for an empty one.
 *
 * @throws SqliteStoreError `not_a_store` for another program's database.
 * @throws SessionError `store_newer` for a later release's.
 */
export function readVersion(connection: StoreConnection): number {
  const { path } = connection;
  const { id, found, empty } = readHeader(connection);
  if (id !== applicationId && !empty) throw notAStore(path, "it is another program's database");
  if (found > schemaVersion) {
    const message = `${path} was written by a newer release: its schema has version ${found}, and this release knows up to ${schemaVersion}: update @mobkit/session-sqlite`;
    throw new SessionError("store_newer", message, { details: { stored: found, supported: schemaVersion } });
  }
  return found;
}

/**
 * Refuses to go on with a file that a later release has migrated since it was opened: what this release would write
 * there means something else. Cheap where nothing is wrong. @throws SessionError `store_newer`.
 */
export function refuseNewerSchema(connection: StoreConnection): void {
  const row = connection.statement("PRAGMA user_version").get();
  if (Number(row?.["user_version"]) > schemaVersion) readVersion(connection);
}

/** One step of a schema: the whole of `sql` happens or nothing of it. */
export interface MigrationScript {
  readonly name: string;
  readonly version: number;
  readonly sql: string;
}

/**
 * Runs one script inside the open transaction.
 *
 * @throws SqliteStoreError `migration_failed` with the driver's error as cause, also when the script ended the transaction.
 */
export function applyScript(connection: StoreConnection, script: MigrationScript): void {
  const { name, version } = script;
  try {
    connection.exec("SAVEPOINT migration");
    connection.exec(script.sql);
    connection.exec("RELEASE migration");
  } catch (cause) {
    if (["busy", "full", "io"].includes(driverFailure(cause))) throw cause;
    const message = `migration ${version} of "${name}" failed on ${connection.path}: ${String(cause)}`;
    throw new SqliteStoreError("migration_failed", message, {
      details: { path: connection.path, name, version },
      cause,
    });
  }
}

/** One statement, so that it sees one state of the file: another process may be making it a store at this moment. */
const headerQuery = `
  SELECT a.application_id AS id, v.user_version AS found, (SELECT count(*) FROM sqlite_schema) AS objects
  FROM pragma_application_id AS a, pragma_user_version AS v`;

function readHeader(connection: StoreConnection): { id: number; found: number; empty: boolean } {
  try {
    const row = connection.statement(headerQuery).get();
    const [id, found] = [Number(row?.["id"]), Number(row?.["found"])];
    return { id, found, empty: id === 0 && found === 0 && row?.["objects"] === 0 };
  } catch (error) {
    if (driverFailure(error) === "not_a_database")
      throw notAStore(connection.path, "it is no SQLite database");
    throw error;
  }
}

function olderStore({ path }: StoreConnection, found: number): SqliteStoreError<"store_older"> {
  const message = `${path} has schema version ${found} and this release needs ${schemaVersion}: open it once for writing`;
  return new SqliteStoreError("store_older", message, { details: { path, found, supported: schemaVersion } });
}
