import type {
  PrepareOptions,
  SqliteConnection,
  SqliteDriver,
  SqlRow,
  SqlStatement,
  SqlValue,
} from "./driver.ts";

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
}

/** A connection on an open handle. */
export function connectionOn(handle: DatabaseHandle): SqliteConnection {
  return {
    exec: (sql) => void handle.exec(sql),
    prepare: (sql, options) => statementOn(handle.prepare(sql), options),
    close: () => void handle.close(),
  };
}

/** A driver that lends a caller's own handle once and leaves it open when the store closes. */
export function handleDriver(handle: DatabaseHandle): SqliteDriver {
  return {
    name: "a database handle of the caller",
    open: () => ({ ...connectionOn(handle), close: () => undefined }),
  };
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
