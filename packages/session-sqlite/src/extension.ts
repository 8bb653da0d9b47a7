import type { CommitGroup } from "./commit-group.ts";
import { applyScript } from "./migrations.ts";
import type { StoreConnection } from "./store-connection.ts";
import { ownWords, scriptProblem } from "./sql-text.ts";
import { SqliteStoreError } from "./store-error.ts";
import { withTransaction, type SqliteTransaction } from "./store-sql.ts";

/** A table namespace of its own inside a store file. */
export interface StoreExtensionSpec {
  /** Lower-case letters and digits, at most 32; every table, index, view and trigger is named `NAME_…`. */
  readonly name: string;
  /** SQL scripts in order, only ever added to: the namespace's version is how many of them have run. */
  readonly migrations: readonly string[];
}

/** A namespace that lends the store's connection and joins its transactions. */
export interface StoreExtension {
  readonly name: string;
  readonly version: number;
  /**
   * Runs `work` in a transaction that is durable (FULL) when this answers; what it throws undoes all of it.
   * `work` is synchronous. Concurrent transactions share one sync with the store's own writes.
   *
   * @throws SessionError `busy`, `store_unavailable`, and `invalid_request` when `work` answers a promise.
   */
  transaction<T>(work: (tx: SqliteTransaction) => T, options?: { readonly signal?: AbortSignal }): Promise<T>;
  /** Reads at one moment; `work` is synchronous, and what it writes is rolled back. */
  read<T>(work: (tx: SqliteTransaction) => T, options?: { readonly signal?: AbortSignal }): Promise<T>;
}

/**
 * Opens a namespace, running the migrations that its file lacks, in one transaction.
 *
 * @throws SqliteStoreError `invalid_extension` (name, foreign tables, a version from the future), `migration_failed`.
 */
export async function openExtension(
  store: { readonly connection: StoreConnection; readonly commits: CommitGroup },
  spec: StoreExtensionSpec,
): Promise<StoreExtension> {
  const { connection, commits } = store;
  const { name, migrations } = spec;
  refuseName(name);
  refuseScripts(spec);
  const found = await connection.read(() => versionOf(connection, name));
  if (found > migrations.length) {
    throw invalid(name, `the file holds its version ${found}, newer than the ${migrations.length} given`);
  }
  if (found < migrations.length) await connection.change(() => migrateExtension(connection, spec));
  return {
    name,
    version: migrations.length,
    transaction: (work, options = {}) =>
      commits.submit(() => withTransaction(connection, { field: "transaction", work }), options.signal),
    read: (work, options = {}) =>
      connection.read(() => withTransaction(connection, { field: "read", work }), options.signal),
  };
}

function migrateExtension(connection: StoreConnection, { name, migrations }: StoreExtensionSpec): void {
  const before = schemaObjects(connection);
  for (let next = versionOf(connection, name); next < migrations.length; next += 1) {
    applyScript(connection, { name, version: next + 1, sql: migrations[next]! });
  }
  const after = schemaObjects(connection);
  for (const object of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!object.startsWith(`${name}_`) && before[object] !== after[object]) {
      throw invalid(name, `its migrations touch "${object}", which does not begin with "${name}_"`);
    }
  }
  connection
    .statement(
      "INSERT INTO store_extension (name, version) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET version = excluded.version",
    )
    .run(name, migrations.length);
}

function versionOf(connection: StoreConnection, name: string): number {
  return Number(
    connection.statement("SELECT version FROM store_extension WHERE name = ?").get(name)?.["version"] ?? 0,
  );
}

/** Every named object of the file with its SQL; what SQLite makes by itself belongs to its table. */
function schemaObjects(connection: StoreConnection): Readonly<Record<string, string>> {
  const rows = connection
    .statement("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    .all();
  return Object.fromEntries(rows.map((row) => [String(row["name"]), String(row["sql"])]));
}

function refuseScripts({ name, migrations }: StoreExtensionSpec): void {
  if (!Array.isArray(migrations)) throw invalid(name, "its migrations are no list of scripts");
  for (const [index, script] of migrations.entries()) {
    const problem = typeof script === "string" ? scriptProblem(script, name) : "it is no text";
    if (problem !== undefined) throw invalid(name, `migration ${index + 1} is refused: ${problem}`);
  }
}

function refuseName(name: string): void {
  if (typeof name !== "string") throw invalid(String(name), "a name is a text");
  if (ownWords.has(name)) throw invalid(name, "the store's own tables begin with it");
  if (!/^[a-z][a-z0-9]{0,31}$/.test(name)) {
    throw invalid(name, "a name is a lower-case letter and then letters or digits, 32 at most");
  }
}

function invalid(name: string, reason: string): SqliteStoreError<"invalid_extension"> {
  return new SqliteStoreError("invalid_extension", `extension "${name}": ${reason}`, {
    details: { name, reason },
  });
}
