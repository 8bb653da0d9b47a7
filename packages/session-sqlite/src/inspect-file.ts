import { isBasisError } from "@basis/core";
import type { SessionState } from "@mobkit/session";
import type { SqliteConnection, SqliteDriver } from "./driver.ts";
import { fileSystemOf } from "./file-system.ts";
import { readGeneration } from "./generation.ts";
import { isAlive } from "./host-marker.ts";
import { loadDriver } from "./load-driver.ts";
import { applicationId, schemaVersion } from "./migrations.ts";
import { openStoreFiles } from "./open-files.ts";
import { stateNames } from "./rows.ts";
import { sessionFailure } from "./store-failure.ts";
import { fileIdentity, fileMode, fileSize, hostIdentity, resolveStorePath } from "./store-file.ts";

/** A process that has the file open, or had it open and did not close it. */
export interface StoreOpener {
  readonly hostId: string;
  /** On this machine, since it was started. */
  readonly isHere: boolean;
  readonly pid: number;
  /** Undefined for another machine's. */
  readonly isAlive: boolean | undefined;
  readonly openedAt: number;
}

/** How much a store holds. */
export interface StoreContents {
  readonly sessions: Readonly<Record<SessionState, number>>;
  /** Rows, those included that nobody reaches any more. */
  readonly messages: number;
  readonly blobs: number;
  readonly blobBytes: number;
  /** Events that nobody has consumed. */
  readonly waitingEvents: number;
  /** Forks that are committed and not seated. */
  readonly unseatedForks: number;
  /** Redactions that the file has seen. */
  readonly generation: number;
}

/** What can be told of a store's file without opening it as a store. */
export interface StoreFileReport {
  readonly path: string;
  readonly exists: boolean;
  readonly bytes: number;
  /** Of its write-ahead log. */
  readonly logBytes: number;
  /** Such as `0600`; undefined when there is no file. */
  readonly mode: string | undefined;
  /** Of the directory it is or would be in; undefined where the platform does not tell. `isNetwork`: no store opens there. */
  readonly fileSystem: { readonly name: string; readonly isNetwork: boolean } | undefined;
  /** Undefined for what is no session store. */
  readonly schemaVersion: number | undefined;
  readonly supportedVersion: number;
  /** The name of the messages' format. */
  readonly shape: string | undefined;
  readonly openers: readonly StoreOpener[];
  /** Undefined when the schema is not this release's, and with a problem. */
  readonly contents: StoreContents | undefined;
  /** Why the file can't be read as a store. */
  readonly problem: string | undefined;
  /** What a whole reading of the file found, `ok` for nothing; undefined unless asked for. */
  readonly damage: string | undefined;
}

/** How a file is looked at. */
export interface InspectFileOptions {
  /** Default: `loadDriver()`. */
  readonly driver?: SqliteDriver | undefined;
  /** Reads the whole file and looks for damage: seconds for a large one. Default false. */
  readonly deep?: boolean | undefined;
}

/**
 * Looks at a store's file, also at one that does not open as a store. Changes nothing in it, makes no file and no mark;
 * other processes may have it open. A file that this process has open is not read: a second handle would drop its locks.
 * What is wrong stands in the answer. @throws SqliteStoreError `driver_missing`.
 */
export async function inspectStoreFile(
  path: string,
  { driver, deep = false }: InspectFileOptions = {},
): Promise<StoreFileReport> {
  const file = resolveStorePath(path);
  const identity = fileIdentity(file);
  const outside = {
    path: file,
    exists: identity !== undefined,
    bytes: fileSize(file),
    logBytes: fileSize(`${file}-wal`),
    mode: fileMode(file),
    fileSystem: fileSystemOf(file),
    supportedVersion: schemaVersion,
  };
  if (identity === undefined) return { ...outside, ...unread(undefined) };
  const isOpenHere = openStoreFiles().some(
    ({ device, inode }) => device === identity.device && inode === identity.inode,
  );
  if (isOpenHere) return { ...outside, ...unread("this process has it open") };
  return { ...outside, ...readInside(file, driver ?? (await loadDriver()), deep) };
}

type Inside = Pick<
  StoreFileReport,
  "schemaVersion" | "shape" | "openers" | "contents" | "problem" | "damage"
>;

function unread(problem: string | undefined): Inside {
  return {
    schemaVersion: undefined,
    shape: undefined,
    openers: [],
    contents: undefined,
    problem,
    damage: undefined,
  };
}

function readInside(file: string, driver: SqliteDriver, deep: boolean): Inside {
  let connection: SqliteConnection | undefined;
  try {
    connection = driver.open(file, { readOnly: true });
    connection.exec("PRAGMA busy_timeout = 1000");
    const version = pragma(connection, "user_version");
    if (pragma(connection, "application_id") !== applicationId) return unread("it is no session store");
    const damage = deep ? damageOf(connection) : undefined;
    const seen = { schemaVersion: version, damage };
    if (version > schemaVersion) return { ...unread("a newer release wrote it"), ...seen };
    const openers = openersOf(connection);
    const shape = metaOf(connection, "shape");
    const contents = version === schemaVersion ? contentsOf(connection) : undefined;
    return { ...unread(undefined), ...seen, openers, shape, contents };
  } catch (error) {
    const told = sessionFailure(file, error);
    return unread(isBasisError(told) || told instanceof Error ? told.message : String(told));
  } finally {
    connection?.close();
  }
}

function pragma(connection: SqliteConnection, name: string): number {
  return Number(connection.prepare(`PRAGMA ${name}`).get()?.[name]);
}

function damageOf(connection: SqliteConnection): string {
  return String(connection.prepare("PRAGMA quick_check(1)").get()?.["quick_check"]);
}

function metaOf(connection: SqliteConnection, name: string): string | undefined {
  const row = connection.prepare("SELECT value FROM store_meta WHERE name = ?").get(name);
  return row === undefined ? undefined : String(row["value"]);
}

function openersOf(connection: SqliteConnection): readonly StoreOpener[] {
  const { hostId, bootId } = hostIdentity();
  return connection
    .prepare("SELECT * FROM store_opener ORDER BY opened_at")
    .all()
    .map((row) => {
      const isHere = row["boot_id"] === bootId;
      const pid = Number(row["pid"]);
      const alive = isHere && row["host_id"] === hostId ? isAlive(pid) : undefined;
      return {
        hostId: String(row["host_id"]),
        isHere,
        pid,
        isAlive: alive,
        openedAt: Number(row["opened_at"]),
      };
    });
}

function contentsOf(connection: SqliteConnection): StoreContents {
  const count = (sql: string): number => Number(connection.prepare(sql).get()?.["n"] ?? 0);
  const sessions = Object.fromEntries(stateNames.map((state) => [state, 0])) as Record<SessionState, number>;
  for (const row of connection.prepare("SELECT state, count(*) AS n FROM session GROUP BY state").all()) {
    const state = stateNames[Number(row["state"])];
    if (state !== undefined) sessions[state] = Number(row["n"]);
  }
  return {
    sessions,
    messages: count("SELECT count(*) AS n FROM message"),
    blobs: count("SELECT count(*) AS n FROM blob"),
    blobBytes: count("SELECT sum(bytes) AS n FROM blob"),
    waitingEvents: count("SELECT count(*) AS n FROM outbox WHERE consumed_at IS NULL"),
    unseatedForks: count("SELECT count(*) AS n FROM fork_op WHERE state = 'committed'"),
    generation: readGeneration({ statement: (sql) => connection.prepare(sql) }),
  };
}
