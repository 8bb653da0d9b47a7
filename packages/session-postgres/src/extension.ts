import type { Connection } from "./connection.ts";
import type { PostgresTransaction } from "./lent-sql.ts";
import { listenTo, type Resync } from "./listen.ts";
import { applyScript, inSchemaLock } from "./migrations.ts";
import { channelOf } from "./notices.ts";
import { purge } from "./purge.ts";
import type { Server } from "./server.ts";
import { ownWords, scriptProblem, statementProblem } from "./sql-text.ts";
import type { SqlRow, SqlValue } from "./sql.ts";
import { sessionFailure } from "./store-failure.ts";
import { PostgresStoreError } from "./store-error.ts";
import type { Transactions } from "./transactions.ts";

/** A table namespace of its own inside a store's schema. */
export interface StoreExtensionSpec {
  /** Lower-case letters and digits, at most 32; every table, index, view and function is named `NAME_…`. */
  readonly name: string;
  /** SQL scripts in order, only ever added to: the namespace's version is how many of them have run. */
  readonly migrations: readonly string[];
}

/** A text that was told on a namespace's channel, or `resync`: some may have been missed, so look. */
export type ExtensionNotice = Resync | { readonly kind: "told"; readonly text: string };

/** A namespace that lends the store's connections and joins its transactions. */
export interface StoreExtension {
  readonly name: string;
  readonly version: number;
  /**
   * Runs `work` in a transaction that is durable when this answers; what it throws undoes all of it. It is run again when
   * the server undid it in favour of another transaction, or lost the connection before the commit.
   *
   * @throws SessionError `busy`, `store_unavailable`.
   */
  transaction<T>(
    work: (tx: PostgresTransaction) => T | PromiseLike<T>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<T>;
  /** Reads at one moment; `work` may not write. */
  read<T>(
    work: (tx: PostgresTransaction) => T | PromiseLike<T>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<T>;
  /**
   * Sends one statement that is a transaction of its own, in one round trip; answers its rows. It is sent again when its
   * reply is lost, so it must be a read, or a write whose repetition changes nothing.
   *
   * @throws SessionError `busy`, `store_unavailable`. @throws PostgresStoreError `invalid_sql`.
   */
  statement(
    sql: string,
    values?: readonly SqlValue[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly SqlRow[]>;
  /**
   * Has the server clear the replaced and deleted rows of the namespace's tables away; false when somebody may still read
   * them or the server would not.
   */
  purge(): Promise<boolean>;
  /** Where the namespace's SQL tells its listeners: `pg_notify(channel, text)`, heard once the transaction has committed. */
  readonly channel: string;
  /**
   * What is told on the channel, by whichever process: on a connection of its own, for as long as somebody iterates. A
   * `resync` comes first, and again after every lost connection.
   */
  notices(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<ExtensionNotice>;
}

/**
 * Opens a namespace, running the migrations that its schema lacks, in one transaction.
 *
 * @throws PostgresStoreError `invalid_extension` (name, foreign tables, a version from the future), `migration_failed`.
 */
export async function openExtension(
  store: { readonly server: Server; readonly transactions: Transactions },
  spec: StoreExtensionSpec,
): Promise<StoreExtension> {
  const { server, transactions } = store;
  const { name, migrations } = spec;
  refuseName(name);
  refuseScripts(spec);
  await server.call(() => bringUpToDate(server, spec));
  return {
    name,
    version: migrations.length,
    transaction: async <T>(
      work: (tx: PostgresTransaction) => T | PromiseLike<T>,
      options: { readonly signal?: AbortSignal } = {},
    ) => {
      let answer: T | undefined;
      const join = async (tx: PostgresTransaction): Promise<void> => {
        answer = await work(tx);
      };
      await transactions.write(async () => ({ answer: undefined, writes: [], join }), options.signal);
      return answer as T;
    },
    read: (work, options = {}) => transactions.snapshot(work, options.signal),
    statement: async (sql, values = [], options = {}) => {
      const problem = statementProblem(sql);
      if (problem !== undefined)
        throw new PostgresStoreError("invalid_sql", `the store's connection does not run this: ${problem}`, {
          details: { reason: problem },
        });
      return transactions.statement({ text: sql, values }, options.signal);
    },
    purge: () => server.call(() => purgeTables(server, name)),
    channel: channelOfExtension(server, name),
    notices: (options = {}) =>
      listenTo<ExtensionNotice>(server, {
        channel: channelOfExtension(server, name),
        noticeOf: (text) => ({ kind: "told", text }),
        signal: options.signal,
      }),
  };
}

async function purgeTables(server: Server, name: string): Promise<boolean> {
  const connection = await server.acquire();
  const tables = await connection
    .query("SELECT tablename FROM pg_tables WHERE schemaname = $1 AND starts_with(tablename, $2)", [
      server.options.schema,
      `${name}_`,
    ])
    .finally(() => connection.release());
  return purge(
    server,
    tables.map(({ tablename }) => String(tablename)),
  );
}

function channelOfExtension({ options }: Server, name: string): string {
  return `${channelOf(options.schema)}.${name}`;
}

async function bringUpToDate(server: Server, spec: StoreExtensionSpec): Promise<void> {
  const { name, migrations } = spec;
  const since = performance.now();
  const connection = await server.acquire();
  try {
    const found = await versionOf(connection, name);
    if (found > migrations.length) {
      throw invalid(name, `the schema holds its version ${found}, newer than the ${migrations.length} given`);
    }
    if (found === migrations.length) return;
    await inSchemaLock(connection, server.options.schema, () =>
      migrateExtension(connection, server.options.schema, spec),
    );
  } catch (error) {
    throw sessionFailure(server.options.server, { error, since });
  } finally {
    connection.release();
  }
}

async function migrateExtension(
  connection: Connection,
  schema: string,
  { name, migrations }: StoreExtensionSpec,
): Promise<void> {
  const before = await schemaObjects(connection, schema);
  for (let next = await versionOf(connection, name); next < migrations.length; next += 1) {
    await applyScript(connection, { schema, name, version: next + 1, sql: migrations[next]! });
  }
  const after = await schemaObjects(connection, schema);
  for (const object of new Set([...before.keys(), ...after.keys()])) {
    if (!object.startsWith(`${name}_`) && before.get(object) !== after.get(object)) {
      throw invalid(name, `its migrations touch "${object}", which does not begin with "${name}_"`);
    }
  }
  await connection.query(
    `INSERT INTO store_extension (name, version) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET version = excluded.version`,
    [name, migrations.length],
  );
}

async function versionOf(connection: Connection, name: string): Promise<number> {
  const [row] = await connection.query("SELECT version FROM store_extension WHERE name = $1", [name]);
  return Number(row?.["version"] ?? 0);
}

/** Every relation and function of the schema with what it is made of: columns, triggers, body. */
async function schemaObjects(connection: Connection, schema: string): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.query(
    `SELECT relname AS name, relkind::text || coalesce((SELECT string_agg(attname || ' ' || atttypid::regtype || ' ' ||
         attnotnull, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = pg_class.oid AND NOT attisdropped), '')
       || coalesce((SELECT string_agg(tgname || tgenabled::text, ',' ORDER BY tgname) FROM pg_trigger
         WHERE tgrelid = pg_class.oid), '')
       || coalesce((SELECT string_agg(conname, ',' ORDER BY conname) FROM pg_constraint
         WHERE conrelid = pg_class.oid), '') AS made
     FROM pg_class WHERE relnamespace = $1::regnamespace
     UNION ALL SELECT proname || '()', md5(string_agg(prosrc, ' ' ORDER BY oid)) FROM pg_proc
       WHERE pronamespace = $1::regnamespace GROUP BY proname`,
    [schema],
  );
  return new Map(rows.map((row) => [String(row["name"]), String(row["made"])]));
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

function invalid(name: string, reason: string): PostgresStoreError<"invalid_extension"> {
  return new PostgresStoreError("invalid_extension", `extension "${name}": ${reason}`, {
    details: { name, reason },
  });
}
