import { systemClock, type Clock } from "@basis/core";
import {
  modelMessageShape,
  type CallOptions,
  type FindTextsOptions,
  type FoundTexts,
  type Lease,
  type ModelMessage,
  type SessionRecord,
  type SessionStore,
  type StoreCapabilities,
  type StoreUpkeep,
  type TranscriptShape,
} from "@mobkit/session";
import { checkCount, checkFence, checkLease } from "@mobkit/session/rules";
import { backUp, type StoreBackup } from "./backup.ts";
import { sqliteBlobs } from "./blobs.ts";
import { handleDriver, type DatabaseHandle } from "./database-handle.ts";
import type { SqliteDriver } from "./driver.ts";
import { openExtension, type StoreExtension, type StoreExtensionSpec } from "./extension.ts";
import { findTexts } from "./find-texts.ts";
import { sqliteForks } from "./fork-sessions.ts";
import { sqliteLeases } from "./leases.ts";
import { loadDriver } from "./load-driver.ts";
import { defaultMaxLogBytes, type LogLimits } from "./log-watch.ts";
import { sqliteMembers } from "./members.ts";
import { lateArchive } from "./late-archive.ts";
import { openFile } from "./open-file.ts";
import { sqliteOperations } from "./operations.ts";
import { sqliteOutbox } from "./outbox.ts";
import { sqliteReads } from "./reads.ts";
import { requireSession } from "./session-rows.ts";
import { sqliteSessions } from "./sessions.ts";
import type { StoreContext } from "./store-context.ts";
import { resolveStorePath } from "./store-file.ts";
import { withTransaction, type SqliteTransaction } from "./store-sql.ts";
import { sqliteTransfer } from "./transfer.ts";
import { sqliteUpkeep } from "./upkeep.ts";
import { sqliteWrites } from "./writes.ts";

/** How a store is opened. */
export interface SqliteStoreOptions<M> extends LogLimits {
  /** How messages are read. Default: the AI SDK's. */
  readonly shape?: TranscriptShape<M> | undefined;
  /** Default: `loadDriver()`. */
  readonly driver?: SqliteDriver | undefined;
  /** An open handle on the same file (better-sqlite3, node:sqlite) in place of a driver; it stays open when the store closes. */
  readonly database?: DatabaseHandle | undefined;
  /** Never writes: every write is `store_unavailable`. Default false. */
  readonly readOnly?: boolean | undefined;
  /** How long a call waits for other processes before it is `busy`. Default 5,000 ms. */
  readonly busyTimeoutMs?: number | undefined;
  /** Takes over a file that another machine, or a process of an earlier release, has not closed, when it is surely done. Default false. */
  readonly adoptHost?: boolean | undefined;
  /** Default: the machine's clock. */
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A fenced transaction's view: the session as it is, and SQL for the host's own tables. */
export interface FencedTransaction extends SqliteTransaction {
  readonly session: SessionRecord;
}

/** A session store on one SQLite file. */
export interface SqliteStore<M> extends SessionStore<M, SqliteTransaction> {
  /** The file's absolute path. */
  readonly path: string;
  readonly upkeep: StoreUpkeep<M, SqliteTransaction>;
  /**
   * Copies the store as it is at one moment into a new file (0600), which `openSqliteStore` opens as any other. Writes go on
   * meanwhile; a driver without a backup of its own (Node before 22.16) copies in one step, which blocks the process.
   * @throws SqliteStoreError `backup_failed` (the name is taken, its directory takes no file). @throws SessionError `store_unavailable`.
   */
  backup(path: string, options?: CallOptions): Promise<StoreBackup>;
  /**
   * Tells where texts stand in the file, as a redaction asks before and after: each is found as it is, in JSON and in JSON inside
   * JSON, in every column of every table. Reads the whole file.
   * @throws SessionError `invalid_request`.
   */
  findTexts(texts: readonly string[], options?: FindTextsOptions<M>): Promise<FoundTexts>;
  /**
   * Opens a table namespace inside the file, running the migrations that it lacks. Its tables can be written in its own
   * transactions, in `transact` and in the `join` of every write.
   * @throws SqliteStoreError `invalid_extension`, `migration_failed`.
   */
  extend(spec: StoreExtensionSpec): Promise<StoreExtension>;
  /**
   * Runs a synchronous `work` in one transaction on a session's fence, such as consuming an approval and noting what it
   * allowed. Changes nothing of the session; what `work` throws undoes all of it.
   * @throws SessionError `unknown_session`, `stale_fence`, `invalid_request` (a promise), `busy`, `store_unavailable`.
   */
  transact<T>(
    lease: Lease,
    work: (tx: FencedTransaction) => T,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<T>;
}

const capabilities: StoreCapabilities = Object.freeze({
  zeroCopyFork: true,
  atomicReserveAndFork: true,
  fencing: true,
  prefixDigest: true,
  durable: true,
  releasingWrites: true,
});

/**
 * Opens a session store on one SQLite file, making it (0600, in a 0700 directory) when it is missing. One open store
 * per file and process; other processes of the same machine may have it open too.
 *
 * @throws SqliteStoreError for the driver, the file and its place.
 * @throws SessionError `store_newer`, `shape_mismatch`, `store_corrupt`, `busy`.
 */
export function openSqliteStore(
  path: string,
  options?: SqliteStoreOptions<ModelMessage> & { readonly shape?: undefined },
): Promise<SqliteStore<ModelMessage>>;
export function openSqliteStore<M>(
  path: string,
  options: SqliteStoreOptions<M> & { readonly shape: TranscriptShape<M> },
): Promise<SqliteStore<M>>;
export async function openSqliteStore<M>(
  path: string,
  options: SqliteStoreOptions<M> = {},
): Promise<SqliteStore<M>> {
  const shape = options.shape ?? (modelMessageShape as unknown as TranscriptShape<M>);
  const clock = options.clock ?? systemClock;
  const driver = options.driver ?? (options.database ? handleDriver(options.database) : await loadDriver());
  const file = await openFile({
    path: resolveStorePath(path),
    driver,
    readOnly: options.readOnly ?? false,
    busyTimeoutMs: checkCount("busyTimeoutMs", options.busyTimeoutMs ?? 5000),
    adoptHost: options.adoptHost ?? false,
    maxLogBytes: checkCount("maxLogBytes", options.maxLogBytes ?? defaultMaxLogBytes, 1),
    onLogGrowth: options.onLogGrowth,
    clock,
    shape: shape.name,
    signal: options.signal,
  });
  return storeOn({ ...file, shape, clock });
}

function storeOn<M>(context: StoreContext<M>): SqliteStore<M> {
  const { connection, commits, shape } = context;
  return Object.freeze({
    path: connection.path,
    shape,
    capabilities,
    members: Object.freeze(sqliteMembers(context)),
    operations: Object.freeze(sqliteOperations(context)),
    forks: Object.freeze(sqliteForks(context)),
    blobs: Object.freeze(sqliteBlobs(context)),
    outbox: Object.freeze(sqliteOutbox(context)),
    transfer: Object.freeze(sqliteTransfer(context)),
    archive: Object.freeze(lateArchive(context)),
    upkeep: Object.freeze(sqliteUpkeep(context)),
    ...sqliteSessions(context),
    ...sqliteLeases(context),
    ...sqliteWrites(context),
    ...sqliteReads(context),
    backup: (path: string, options: CallOptions = {}) => backUp(context, path, options),
    findTexts: (texts: readonly string[], options: FindTextsOptions<M> = {}) =>
      findTexts(context, texts, options),
    extend: (spec: StoreExtensionSpec) => openExtension(context, spec),
    transact: async <T>(
      lease: Lease,
      work: (tx: FencedTransaction) => T,
      options: { readonly signal?: AbortSignal | undefined } = {},
    ) => {
      checkLease(lease);
      return commits.submit(() => {
        const { record: session } = requireSession(connection, lease.sessionId);
        checkFence(session, lease);
        return withTransaction(connection, { field: "work", work: (tx) => work({ ...tx, session }) });
      }, options.signal);
    },
    close: context.close,
  });
}
