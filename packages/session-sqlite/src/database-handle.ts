import type {
  PrepareOptions,
  SqliteConnection,
  SqliteDriver,
  SqlRow,
  SqlStatement,
  SqlValue,
} from "./driver.ts";
import { SqliteStoreError } from "./store-error.ts";
import { isSameFile } from "./store-file.ts";

/** A prepared statement of node:sqlite or better-sqlite3. */
export interface HandleStatement {
  run(...values: SqlValue[]): { readonly changes: number | bigint };
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
  /** node:sqlite's way to ask for bigints. */
  setReadBigInts?(enabled: boolean): unknown;
  /** better-sqlite3's way to ask for bigints. */
  safeIntegers?(enabled: boolean): unknown;
}

/** An open database of node:sqlite, @photostructure/sqlite or better-sqlite3: what the store needs of it. */
export interface DatabaseHandle {
  exec(sql: string): unknown;
  prepare(sql: string): HandleStatement;
  close(): unknown;
  /** As better-sqlite3 and @photostructure/sqlite have it. */
  backup?(path: string): Promise<unknown>;
}

/** A connection on an open handle. */
export function connectionOn(handle: DatabaseHandle): SqliteConnection {
  return {
    exec: (sql) => void handle.exec(sql),
    prepare: (sql, options) => statementOn(handle.prepare(sql), options),
    backup: handle.backup && ((path) => handle.backup!(path)),
    close: () => void handle.close(),
  };
}

/**
 * A driver that lends a caller's own handle and leaves it open when the store closes.
 * Its `open` throws SqliteStoreError `handle_mismatch` when the handle is on another file.
 */
export function handleDriver(handle: DatabaseHandle): SqliteDriver {
  return {
    name: "a database handle of the caller",
    open(path) {
      refuseOtherFile(handle, path);
      return { ...connectionOn(handle), shared: true, close: () => undefined };
    },
  };
}

function refuseOtherFile(handle: DatabaseHandle, path: string): void {
  const row = handle.prepare("SELECT file FROM pragma_database_list WHERE name = 'main'").get() as {
    file: string;
  };
  if (isSameFile(row.file, path)) return;
  const found = row.file || "memory";
  throw new SqliteStoreError("handle_mismatch", `the handle given is open on ${found}, not on ${path}`, {
    details: { path, found },
  });
}

function statementOn(statement: HandleStatement, options: PrepareOptions = {}): SqlStatement {
  if (options.bigints) {
    if (statement.setReadBigInts) statement.setReadBigInts(true);
    else statement.safeIntegers?.(true);
  }
  return {
    run: (...values) => Number(statement.run(...values).changes),
    get: (...values) => statement.get(...values) as SqlRow | undefined,
    all: (...values) => statement.all(...values) as SqlRow[],
  };
}
