import { onAbort } from "@basis/core";
import type { SessionError } from "@mobkit/session";
import { Connection, type Backend } from "./connection.ts";
import { quoted, type ConnectOptions } from "./connect-options.ts";
import type { CallScope, Driver, DriverClient, DriverPool, LoneClient, PooledClient } from "./driver.ts";
import { storeUnavailable, type UnavailableReason } from "./store-failure.ts";

/** Settings that a commit and a wait depend on, whatever server and user have as defaults. */
const settle = `SELECT pg_backend_pid() AS pid,
  (SELECT backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()) AS started_at,
  set_config('search_path', $1, false),
  set_config('lock_timeout', $2, false),
  set_config('statement_timeout', $3, false),
  set_config('idle_in_transaction_session_timeout', $4, false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
    ELSE current_setting('synchronous_commit') END, false)`;

/** The connections of one store, at most so many, and the calls that use them. */
export class Server {
  readonly options: ConnectOptions;
  readonly #driver: Driver;
  readonly #pool: DriverPool;
  readonly #scope: CallScope;
  readonly #backends = new WeakMap<DriverClient, Backend>();
  readonly #calls = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  constructor(options: ConnectOptions, driver: Driver) {
    this.options = options;
    this.#driver = driver;
    this.#scope = driver.newScope();
    this.#pool = driver.newPool({
      ...options.client,
      max: options.maxConnections,
      idleTimeoutMillis: 30_000,
      onConnect: async (client) => void (await this.#settle(client)),
    });
    // A connection that ends while nobody has it is left out of the pool by itself.
    this.#pool.on("error", () => undefined);
  }

  /** Aborts when the store begins to close. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Counts a call, so that closing waits for it. @throws SessionError `store_unavailable` (`closed`, `in_transaction`). */
  call<T>(work: () => Promise<T>): Promise<T> {
    this.refuse();
    const running = work();
    this.#calls.add(running);
    const done = (): void => void this.#calls.delete(running);
    running.then(done, done);
    return running;
  }

  /** The first step of every call. @throws SessionError `store_unavailable` (`closed`, `in_transaction`). */
  refuse(): void {
    if (this.#scope.getStore() !== undefined) throw this.unavailable("in_transaction");
    if (this.#closed) throw this.unavailable("closed");
  }

  /** Runs a callback of the host's, which may not call the store: it could wait for itself. */
  lend<T>(work: () => Promise<T>): Promise<T> {
    return this.#scope.run(true, work);
  }

  /** A free connection. A signal ends the wait; the connection goes to the next one then. */
  async acquire(signal?: AbortSignal): Promise<Connection> {
    signal?.throwIfAborted();
    const asked = this.#pool.connect();
    const client = await (signal === undefined ? asked : orAborted(asked, signal));
    const backend = this.#backends.get(client)!;
    return new Connection(client, { backend, giveBack: (broken) => client.release(broken) });
  }

  /** A connection outside the pool, for what is rare or lasts; `release` closes it. */
  async acquireApart(): Promise<{ readonly client: LoneClient; readonly connection: Connection }> {
    const client = this.#driver.newClient(this.options.client);
    client.on("error", () => undefined);
    try {
      await client.connect();
      const backend = await this.#settle(client);
      const giveBack = (): void => void client.end().catch(() => undefined);
      return { client, connection: new Connection(client, { backend, giveBack }) };
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
  }

  /** Refuses new calls, waits for those under way, and closes the connections. Once. */
  close(): Promise<void> {
    return (this.#closed ??= this.#end());
  }

  /** The refusal of this store. */
  unavailable(reason: UnavailableReason, cause?: unknown): SessionError<"store_unavailable"> {
    return storeUnavailable(this.options.server, { reason, cause });
  }

  async #end(): Promise<void> {
    this.#closing.abort();
    while (this.#calls.size > 0) await Promise.allSettled(this.#calls);
    await this.#pool.end();
  }

  async #settle(client: DriverClient): Promise<Backend> {
    const { schema, busyTimeoutMs, statementTimeoutMs, idleInTransactionMs } = this.options;
    const limits = [busyTimeoutMs, statementTimeoutMs, idleInTransactionMs].map(String);
    const { rows } = await client.query({
      text: settle,
      values: [`${quoted(schema)}, pg_temp`, ...limits],
    });
    const [row] = rows as readonly { readonly pid?: number; readonly started_at?: string }[];
    const backend = { pid: row!.pid!, startedAt: row!.started_at! };
    this.#backends.set(client, backend);
    return backend;
  }
}

/** The pool's answer, unless the signal aborts first. */
function orAborted(asked: Promise<PooledClient>, signal: AbortSignal): Promise<PooledClient> {
  return new Promise((resolve, reject) => {
    let gone = false;
    const settleWait = onAbort(signal, () => {
      gone = true;
      reject(signal.reason);
    });
    asked.then(
      (client) => {
        settleWait();
        if (gone) client.release(false);
        else resolve(client);
      },
      (error: unknown) => {
        settleWait();
        reject(error);
      },
    );
  });
}
