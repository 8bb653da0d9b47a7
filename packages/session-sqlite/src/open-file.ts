import { SessionError } from "@mobkit/session";
import type { Clock } from "@basis/core";
import { CommitGroup } from "./commit-group.ts";
import type { SqliteDriver } from "./driver.ts";
import { sweepOpeners } from "./earlier-openers.ts";
import { FileCopies } from "./file-copies.ts";
import { markOpen, unmarkOpen, type HostMarkerOptions } from "./host-marker.ts";
import { LogWatch, type LogLimits } from "./log-watch.ts";
import { migrate, readVersion, refuseNewerSchema } from "./migrations.ts";
import { claimFile, releaseFile, type OpenStoreFile } from "./open-files.ts";
import { StoreConnection } from "./store-connection.ts";
import {
  fileIdentity,
  fileSize,
  isReadOnlyMedia,
  notAStore,
  prepareStoreFile,
  readOnlyMedia,
} from "./store-file.ts";
import { SqliteStoreError } from "./store-error.ts";

/** How a store file is opened. */
export interface OpenFileOptions extends HostMarkerOptions, LogLimits {
  readonly path: string;
  readonly driver: SqliteDriver;
  readonly readOnly: boolean;
  readonly busyTimeoutMs: number;
  readonly clock: Clock;
  /** The name of the transcript shape that the caller reads with. */
  readonly shape: string;
  readonly signal?: AbortSignal | undefined;
}

/** An open store file: its connection, the queue of its writes, the copies that are made of it. */
export interface OpenFile {
  readonly connection: StoreConnection;
  readonly commits: CommitGroup;
  readonly copies: FileCopies;
  readonly driver: SqliteDriver;
  /** Ends waiting writes and copies, then closes; once. */
  close(): Promise<void>;
}

/**
 * Opens a store file: place and permissions, one handle in the process, version, WAL, migrations, shape, host mark.
 * What fails leaves the file closed and a file of another kind untouched.
 *
 * @throws SqliteStoreError for the file and its place. @throws SessionError `store_newer`, `shape_mismatch`, `busy`.
 */
export async function openFile(options: OpenFileOptions): Promise<OpenFile> {
  const { path, readOnly } = options;
  options.signal?.throwIfAborted();
  prepareStoreFile(path, { readOnly });
  const immutable = readOnly && isReadOnlyMedia(path);
  if (immutable && fileSize(`${path}-wal`) > 0) {
    throw readOnlyMedia(path, "its log holds changes: open and close it where it can be written to");
  }
  const claimed = claim(path);
  const connection = new StoreConnection({ ...options, immutable });
  try {
    const isSwept = readOnly || options.adoptHost ? false : await sweepOpeners(connection, options);
    await connection.patiently(() => readVersion(connection), options.signal);
    if (!immutable) await connection.patiently(() => useWriteAheadLog(connection), options.signal);
    await migrate(connection, { ...options, isSwept });
    const mark = await settleIn(connection, options);
    return openFileOn(connection, { ...options, claimed, mark, log: new LogWatch(connection, options) });
  } catch (error) {
    connection.close();
    releaseFile(claimed);
    throw error;
  }
}

function claim(path: string): OpenStoreFile {
  const identity = fileIdentity(path);
  if (identity === undefined) throw notAStore(path, "it is a link to a file that does not exist");
  const file = { path, ...identity };
  if (claimFile(file)) return file;
  throw new SqliteStoreError("already_open", `${path} is open in this process already: use that store`, {
    details: { path },
  });
}

/** Read-only connections take the log as it is. Source: https://sqlite.org/wal.html */
function useWriteAheadLog(connection: StoreConnection): void {
  const { path, readOnly } = connection;
  const row = connection.statement(readOnly ? "PRAGMA journal_mode" : "PRAGMA journal_mode = WAL").get();
  const journalMode = String(row?.["journal_mode"]);
  if (journalMode !== "wal") {
    throw new SqliteStoreError(
      "wal_unavailable",
      `${path} has no write-ahead log (journal mode ${journalMode})`,
      {
        details: { path, journalMode },
      },
    );
  }
}

/** Checks the shape and notes this process; a new file takes the shape. Answers the host mark's id. */
async function settleIn(connection: StoreConnection, options: OpenFileOptions): Promise<string | undefined> {
  if (connection.readOnly) {
    await connection.read(() => checkShape(connection, options.shape), options.signal);
    return undefined;
  }
  return connection.change(() => {
    refuseNewerSchema(connection); // from the mark on a later release migrates nothing under it
    checkShape(connection, options.shape);
    return markOpen(connection, { ...options, now: options.clock.now() });
  });
}

function checkShape(connection: StoreConnection, given: string): void {
  const row = connection.statement("SELECT value FROM store_meta WHERE name = 'shape'").get();
  if (row === undefined) {
    connection.statement("INSERT INTO store_meta (name, value) VALUES ('shape', ?)").run(given);
    return;
  }
  const stored = String(row["value"]);
  if (stored === given) return;
  throw new SessionError(
    "shape_mismatch",
    `${connection.path} holds messages of shape ${stored}, not ${given}`,
    {
      details: { stored, given },
    },
  );
}

function openFileOn(
  connection: StoreConnection,
  held: {
    readonly driver: SqliteDriver;
    readonly claimed: OpenStoreFile;
    readonly mark: string | undefined;
    readonly log: LogWatch;
  },
): OpenFile {
  const commits = new CommitGroup(connection, held.log);
  const copies = new FileCopies(connection);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await commits.end();
    await copies.ended();
    try {
      const { mark } = held;
      if (mark !== undefined) await connection.change(() => unmarkOpen(connection, mark));
    } catch {
      // The next opener on this machine sweeps the mark; closing must not fail for it.
    }
    connection.foldLog();
    connection.close();
    releaseFile(held.claimed);
  };
  return { connection, commits, copies, driver: held.driver, close: () => (closing ??= close()) };
}
