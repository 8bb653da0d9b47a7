import { newId } from "@basis/core";
import { AmbiguousCommit, forgetCommits, lookUpCommit, markCommit } from "./commit-lookup.ts";
import type { Connection } from "./connection.ts";
import { causeOf, HostFailure, hostFailure } from "./host-failure.ts";
import { lendSql, LostTransaction, type PostgresTransaction } from "./lent-sql.ts";
import { pause } from "./pause.ts";
import type { Server } from "./server.ts";
import { sqlFailure } from "./sql-failure.ts";
import type { Sql, SqlRow, SqlStatement } from "./sql.ts";
import { sessionFailure } from "./store-failure.ts";
import { sendAll, undo, undoAfter, undoOnFailure } from "./steps.ts";

/** What a transaction comes to: its answer, what it writes for that, and what the host does inside it. */
export interface Decision<T> {
  readonly answer: T;
  readonly writes: readonly SqlStatement[];
  readonly join?: ((tx: PostgresTransaction) => unknown) | undefined;
}

/** Reads what a decision depends on, under the locks that keep it true, and decides. May run more than once. */
export type Decide<T> = (sql: Sql) => Promise<Decision<T>>;

/** What goes with a single statement. */
export interface SingleOptions {
  readonly signal?: AbortSignal | undefined;
  /** Reads that share its round trip and follow it; never rejects. */
  readonly besides?: ((sql: Sql) => Promise<unknown>) | undefined;
}

/** Tries of a transaction that others undid or overtook. */
const maxTries = 12;

/** Commits between two sweeps of old commit marks. */
const sweepEvery = 4096;

/** Runs reads and writes on a server's connections, and repeats what a lost connection or another transaction undid. */
export class Transactions {
  readonly #server: Server;
  #commits = 0;

  constructor(server: Server) {
    this.#server = server;
  }

  /** Reads; repeated when the connection is lost. */
  read<T>(work: (sql: Sql) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#patiently((connection) => work(connection), signal);
  }

  /**
   * Decides and writes in one transaction, durable when this answers. The writes, the commit's id and the commit go out
   * in one round trip. When its reply is lost the commit is looked up: it is answered if it happened, and made again if not.
   */
  write<T>(decide: Decide<T>, signal?: AbortSignal): Promise<T> {
    return this.#patiently((connection) => this.#transact(connection, { decide, signal }), signal);
  }

  /**
   * Sends one statement that is a transaction of its own and stores `commitId`; true when it wrote, false when its
   * condition did not hold or another transaction came before it.
   */
  single(
    commitId: string,
    { text, values }: SqlStatement,
    { signal, besides }: SingleOptions = {},
  ): Promise<boolean> {
    return this.#patiently(async (connection) => {
      this.#sweepNowAndThen();
      try {
        const [rows] = await Promise.all([connection.query(text, values), besides?.(connection)]);
        return rows.length > 0;
      } catch (error) {
        if (connection.lost) {
          throw new AmbiguousCommit({ commitId, backend: connection.backend, answer: true }, error);
        }
        const failure = sqlFailure(error);
        if (failure === "duplicate" || failure === "conflict") return false;
        throw error;
      }
    }, signal);
  }

  /** Reads of one moment, by a callback of the host's. */
  snapshot<T>(work: (tx: PostgresTransaction) => T | PromiseLike<T>, signal?: AbortSignal): Promise<T> {
    return this.#patiently(async (connection) => {
      const begun = connection.command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      begun.catch(() => undefined);
      return undoAfter(connection, async () => {
        const answer = await this.#lend(connection, work);
        await begun;
        return answer;
      });
    }, signal);
  }

  /** Sends one statement of the host's that is a transaction of its own; again when its reply is lost. */
  statement({ text, values }: SqlStatement, signal?: AbortSignal): Promise<readonly SqlRow[]> {
    return this.#patiently(async (connection) => {
      try {
        return (await connection.queryOnce(text, values)).rows;
      } catch (error) {
        throw sqlFailure(error) === "duplicate" ? hostFailure(connection, error) : error;
      }
    }, signal);
  }

  async #patiently<T>(attempt: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    return this.#server.call(async () => {
      const since = performance.now();
      for (let tries = 0; ; tries += 1) {
        try {
          return await this.#once(attempt, signal);
        } catch (error) {
          const settled = await this.#settle(error);
          if (settled !== undefined) return settled.answer as T;
          if (!this.#mayRepeat(error, { tries, since })) throw this.#refusal(error, since);
        }
        await pause(tries);
        signal?.throwIfAborted();
      }
    });
  }

  async #once<T>(attempt: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const connection = await this.#server.acquire(signal);
    try {
      return await attempt(connection);
    } finally {
      connection.release();
    }
  }

  /** The answer of a commit that happened although its reply was lost; undefined when it is to be tried again. */
  async #settle(error: unknown): Promise<{ readonly answer: unknown } | undefined> {
    if (!(error instanceof AmbiguousCommit)) return undefined;
    switch (await lookUpCommit(this.#server, error.commit)) {
      case "committed":
        return { answer: error.commit.answer };
      case "absent":
        return undefined;
      case "unknown":
        throw this.#server.unavailable("commit_unknown", error.cause);
    }
  }

  #mayRepeat(error: unknown, { tries, since }: { readonly tries: number; readonly since: number }): boolean {
    if (error instanceof HostFailure && !error.repeats) return false;
    const failure = sqlFailure(causeOf(error));
    if (failure === "conflict" || failure === "duplicate") return tries + 1 < maxTries;
    const gone = failure === "lost" || failure === "unreachable";
    return gone && performance.now() - since < this.#server.options.reconnectMs;
  }

  /** What a callback threw reaches the caller as it is. */
  #refusal(error: unknown, since: number): unknown {
    const cause = causeOf(error);
    if (error instanceof HostFailure && !error.repeats) return cause;
    return sessionFailure(this.#server.options.server, { error: cause, since });
  }

  async #transact<T>(
    connection: Connection,
    asked: { readonly decide: Decide<T>; readonly signal: AbortSignal | undefined },
  ): Promise<T> {
    const begun = connection.command("BEGIN");
    begun.catch(() => undefined);
    const decision = await undoOnFailure(connection, async () => {
      const decided = await asked.decide(connection);
      await begun;
      asked.signal?.throwIfAborted();
      return decided;
    });
    const { answer, writes, join } = decision;
    if (writes.length === 0 && join === undefined) {
      await undo(connection);
      return answer;
    }
    let rest = writes;
    if (join !== undefined) {
      await undoOnFailure(connection, () => this.#joined(connection, { writes, join }));
      rest = [];
    }
    await this.#commit(connection, { writes: rest, answer });
    return answer;
  }

  /** The host's statements go out behind the writes, without waiting for them; what the writes fail with comes first. */
  async #joined<T>(
    connection: Connection,
    { writes, join }: Pick<Decision<T>, "writes"> & { readonly join: NonNullable<Decision<T>["join"]> },
  ): Promise<void> {
    const sent = sendAll(connection, writes);
    sent.catch(() => undefined);
    try {
      await this.#lend(connection, join);
    } finally {
      await sent;
    }
  }

  async #commit(
    connection: Connection,
    last: { readonly writes: readonly SqlStatement[]; readonly answer: unknown },
  ): Promise<void> {
    this.#sweepNowAndThen();
    const commitId = newId();
    const sent = sendAll(connection, [...last.writes, markCommit(commitId)]);
    const committed = connection.command("COMMIT");
    committed.catch(() => undefined);
    try {
      await sent;
      const did = await committed;
      if (did !== "COMMIT") throw new LostTransaction(undefined);
    } catch (error) {
      await committed.catch(() => undefined);
      if (!connection.lost) throw error;
      throw new AmbiguousCommit({ commitId, backend: connection.backend, answer: last.answer }, error);
    }
  }

  #lend<T>(connection: Connection, work: (tx: PostgresTransaction) => T | PromiseLike<T>): Promise<T> {
    const lent = lendSql(connection);
    return this.#server.lend(async () => {
      try {
        const answer = await work({ sql: lent.sql });
        lent.check();
        return answer;
      } catch (error) {
        throw hostFailure(connection, error instanceof LostTransaction ? error.cause : error);
      } finally {
        lent.end();
      }
    });
  }

  /** Nobody waits for it, and a failure leaves the marks for the next time. */
  #sweepNowAndThen(): void {
    this.#commits += 1;
    if (this.#commits % sweepEvery !== 0) return;
    const { text, values } = forgetCommits;
    void this.#once((connection) => connection.query(text, values)).catch(() => undefined);
  }
}
