import type { Clock } from "@basis/core";
import {
  modelMessageShape,
  type FindTextsOptions,
  type FoundTexts,
  type Lease,
  type ModelMessage,
  type SessionRecord,
  type SessionStore,
  type StoreCapabilities,
  type TranscriptShape,
} from "@mobkit/session";
import { checkFence, checkLease, integerOf } from "@mobkit/session/rules";
import { postgresArchive } from "./archive.ts";
import { postgresBlobs } from "./blobs.ts";
import { connectOptions, type ConnectionLimits, type ConnectOptions } from "./connect-options.ts";
import { DatabaseTime } from "./database-time.ts";
import { loadDriver } from "./driver.ts";
import { openExtension, type StoreExtension, type StoreExtensionSpec } from "./extension.ts";
import { findTexts } from "./find-texts.ts";
import { followStore, type FollowRequest, type StoreNotice } from "./follow.ts";
import { postgresForks } from "./fork-sessions.ts";
import { postgresLeases } from "./leases.ts";
import type { PostgresTransaction } from "./lent-sql.ts";
import { postgresLooks, type SessionLooks } from "./looks.ts";
import { postgresMembers } from "./members.ts";
import { migrate } from "./migrations.ts";
import { openFailure } from "./open-failure.ts";
import { postgresOperations } from "./operations.ts";
import { postgresOutbox } from "./outbox.ts";
import { postgresReads } from "./reads.ts";
import { Server } from "./server.ts";
import { SessionCache } from "./session-cache.ts";
import { requireSession } from "./session-rows.ts";
import { postgresSessions } from "./sessions.ts";
import { nowColumn } from "./sql.ts";
import type { StoreContext } from "./store-context.ts";
import { Transactions } from "./transactions.ts";
import { postgresTransfer } from "./transfer.ts";
import { postgresUpkeep } from "./upkeep.ts";
import { postgresWrites } from "./writes.ts";

/** How a store is opened. */
export interface PostgresStoreOptions<M> extends ConnectionLimits {
  /** How messages are read. Default: the AI SDK's. */
  readonly shape?: TranscriptShape<M> | undefined;
  /** The schema that holds the store's tables: lower-case letters, digits and underscores. Default `agent_sessions`. */
  readonly schema?: string | undefined;
  /** Stands for the database's clock; for tests. Several stores on one schema must not differ in it. */
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A fenced transaction's view: the session as it is, and SQL for the host's own tables. */
export interface FencedTransaction extends PostgresTransaction {
  readonly session: SessionRecord;
}

/** A session store in one schema of a PostgreSQL database. */
export interface PostgresStore<M> extends SessionStore<M, PostgresTransaction>, SessionLooks<M> {
  /** Host, port and database. */
  readonly server: string;
  readonly schema: string;
  /**
   * Opens a table namespace inside the schema, running the migrations that it lacks. Its tables can be written in its own
   * transactions, in `transact` and in the `join` of every write.
   * @throws PostgresStoreError `invalid_extension`, `migration_failed`.
   */
  extend(spec: StoreExtensionSpec): Promise<StoreExtension>;
  /**
   * Runs `work` in one transaction on a session's fence, such as consuming an approval and noting what it allowed.
   * Changes nothing of the session, which nobody else writes meanwhile; what `work` throws undoes all of it.
   * @throws SessionError `unknown_session`, `stale_fence`, `busy`, `store_unavailable`.
   */
  transact<T>(
    lease: Lease,
    work: (tx: FencedTransaction) => T | PromiseLike<T>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<T>;
  /** Where texts stand in the schema, whatever they are kept for. @throws SessionError `invalid_request`. */
  findTexts(texts: readonly string[], options?: FindTextsOptions<M>): Promise<FoundTexts>;
  /**
   * Tells of sessions that other processes and this one change, until the loop is left, the signal aborts or the store
   * closes. Uses a connection of its own, which it makes anew when it is lost.
   */
  follow(request?: FollowRequest): AsyncIterable<StoreNotice>;
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
 * Opens a session store in a schema of a PostgreSQL database (14 or later), making schema and tables when they are
 * missing. Any number of processes on any machines may have it open.
 *
 * @throws PostgresStoreError for the driver, the server, the user's rights and the schema.
 * @throws SessionError `store_newer`, `shape_mismatch`, `invalid_request`.
 */
export function openPostgresStore(
  url: string,
  options?: PostgresStoreOptions<ModelMessage> & { readonly shape?: undefined },
): Promise<PostgresStore<ModelMessage>>;
export function openPostgresStore<M>(
  url: string,
  options: PostgresStoreOptions<M> & { readonly shape: TranscriptShape<M> },
): Promise<PostgresStore<M>>;
export async function openPostgresStore<M>(
  url: string,
  options: PostgresStoreOptions<M> = {},
): Promise<PostgresStore<M>> {
  const shape = options.shape ?? (modelMessageShape as unknown as TranscriptShape<M>);
  const connect = connectOptions(url, options);
  options.signal?.throwIfAborted();
  const server = new Server(connect, await loadDriver());
  try {
    const nowMs = await settleIn(server, connect, shape.name);
    options.signal?.throwIfAborted();
    const time = new DatabaseTime(options.clock, nowMs);
    const transactions = new Transactions(server);
    return storeOn({ server, transactions, cache: new SessionCache(), time, shape });
  } catch (error) {
    await server.close();
    throw error;
  }
}

async function settleIn(server: Server, options: ConnectOptions, shape: string): Promise<number> {
  const since = performance.now();
  try {
    const connection = await server.acquire();
    try {
      await migrate(connection, options, shape);
      const [row] = await connection.query(`SELECT ${nowColumn}`);
      return integerOf(row!, "now_ms");
    } finally {
      connection.release();
    }
  } catch (error) {
    throw openFailure(options, error, since);
  }
}

function storeOn<M>(context: StoreContext<M>): PostgresStore<M> {
  const { server, shape } = context;
  const leases = postgresLeases(context);
  return Object.freeze({
    server: server.options.server,
    schema: server.options.schema,
    shape,
    capabilities,
    members: Object.freeze(postgresMembers(context)),
    operations: Object.freeze(postgresOperations(context)),
    forks: Object.freeze(postgresForks(context)),
    blobs: Object.freeze(postgresBlobs(context)),
    outbox: Object.freeze(postgresOutbox(context)),
    ...postgresSessions(context),
    ...leases,
    ...postgresLooks(context, leases.acquireLease),
    ...postgresWrites(context),
    ...postgresReads(context),
    transfer: Object.freeze(postgresTransfer(context)),
    archive: Object.freeze(postgresArchive(context)),
    upkeep: Object.freeze(postgresUpkeep(context)),
    extend: (spec: StoreExtensionSpec) => openExtension(context, spec),
    transact: transactOn(context),
    findTexts: (texts: readonly string[], options: FindTextsOptions<M> = {}) =>
      findTexts(context, texts, options),
    follow: (request: FollowRequest = {}) => followStore(server, request),
    close: () => server.close(),
  });
}

function transactOn<M>({ transactions }: StoreContext<M>): PostgresStore<M>["transact"] {
  return async <T>(
    lease: Lease,
    work: (tx: FencedTransaction) => T | PromiseLike<T>,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ) => {
    checkLease(lease);
    let answer: T | undefined;
    await transactions.write(async (sql) => {
      const { record: session } = await requireSession(sql, lease.sessionId, "write");
      checkFence(session, lease);
      const join = async (tx: PostgresTransaction): Promise<void> => {
        answer = await work({ ...tx, session });
      };
      return { answer: undefined, writes: [], join };
    }, options.signal);
    return answer as T;
  };
}
