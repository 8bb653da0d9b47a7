/** What a statement binds and yields. Integers beyond 2^53 are read as bigints where the statement asks for it. */
export type SqlValue = string | number | bigint | Uint8Array | null;

/** One row by column name. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** How a statement is prepared. */
export interface PrepareOptions {
  /** Reads every integer as a bigint. Default false: an integer beyond 2^53 then throws. */
  readonly bigints?: boolean;
}

/** A prepared statement; it may be run any number of times. */
export interface SqlStatement {
  /** Runs it; answers how many rows it changed. */
  run(...values: readonly SqlValue[]): number;
  /** Its first row. */
  get(...values: readonly SqlValue[]): SqlRow | undefined;
  /** All its rows. */
  all(...values: readonly SqlValue[]): readonly SqlRow[];
}

/** One open handle on one database file. All but `backup` is synchronous; failures are thrown as the driver throws them. */
export interface SqliteConnection {
  exec(sql: string): void;
  prepare(sql: string, options?: PrepareOptions): SqlStatement;
  /** Copies the database into an empty file, in steps beside other work; undefined where the driver can't. */
  backup?: ((path: string) => Promise<unknown>) | undefined;
  close(): void;
  /** True when somebody else writes over this handle too, so that nothing is known of the file between transactions. Default false. */
  readonly shared?: boolean | undefined;
}

/** How a file is opened. */
export interface DriverOpenOptions {
  /** Default false. */
  readonly readOnly?: boolean;
  /** Nothing can change the file while it is open: SQLite takes no locks and needs no log. Default false. */
  readonly immutable?: boolean;
}

/**
 * The port through which all of the store's reading and writing goes.
 * `loadDriver` finds the platform's; `faultyDriver` of `/testing` wraps one to inject failures.
 */
export interface SqliteDriver {
  /** What it stands on, for messages: `"node:sqlite"`. */
  readonly name: string;
  /** Opens a database file, making it when it is missing (not when read-only). */
  open(path: string, options?: DriverOpenOptions): SqliteConnection;
}

/** What a driver's failure means for the store. */
export type DriverFailure =
  | "busy"
  | "full"
  | "io"
  | "corrupt"
  | "not_a_database"
  | "read_only"
  | "cannot_open"
  | "constraint"
  | "other";

const byPrimaryCode: ReadonlyMap<number, DriverFailure> = new Map([
  [0, "busy"], // node:sqlite's backup whose first step met a lock fails with the code of success
  [5, "busy"],
  [6, "busy"],
  [8, "read_only"],
  [10, "io"],
  [11, "corrupt"],
  [13, "full"],
  [14, "cannot_open"],
  [19, "constraint"],
  [26, "not_a_database"],
]);

const byCodeName: ReadonlyMap<string, DriverFailure> = new Map([
  ["SQLITE_BUSY", "busy"],
  ["SQLITE_LOCKED", "busy"],
  ["SQLITE_READONLY", "read_only"],
  ["SQLITE_IOERR", "io"],
  ["SQLITE_CORRUPT", "corrupt"],
  ["SQLITE_FULL", "full"],
  ["SQLITE_CANTOPEN", "cannot_open"],
  ["SQLITE_CONSTRAINT", "constraint"],
  ["SQLITE_NOTADB", "not_a_database"],
]);

/** SQLite's own sentences, for drivers that lose the number of what fails while rows are read. */
const bySentence: ReadonlyMap<string, DriverFailure> = new Map([
  ["database is locked", "busy"],
  ["database table is locked", "busy"],
  ["attempt to write a readonly database", "read_only"],
  ["disk I/O error", "io"],
  ["database disk image is malformed", "corrupt"],
  ["database or disk is full", "full"],
  ["unable to open database file", "cannot_open"],
  ["file is not a database", "not_a_database"],
]);

/**
 * Reads a driver's error: `errcode` as node:sqlite gives it, `code` as better-sqlite3 does, or SQLite's sentence alone.
 * Source: https://sqlite.org/rescode.html (the low byte of an extended code is its primary code).
 */
export function driverFailure(error: unknown): DriverFailure {
  if (typeof error !== "object" || error === null) return "other";
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  if (typeof errcode === "number") return byPrimaryCode.get(errcode & 0xff) ?? "other";
  if (typeof code !== "string") return "other";
  if (code === "ERR_SQLITE_ERROR" && error instanceof Error) return bySentence.get(error.message) ?? "other";
  const primary = /^SQLITE_[A-Z]+/.exec(code)?.[0];
  return (primary && byCodeName.get(primary)) || "other";
}
