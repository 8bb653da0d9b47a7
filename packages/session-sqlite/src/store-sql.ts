import { invalidRequest } from "@mobkit/session/rules";
import type { PrepareOptions, SqlRow, SqlStatement, SqlValue } from "./driver.ts";
import { statementProblem } from "./sql-text.ts";
import type { StoreConnection } from "./store-connection.ts";
import { LostTransaction } from "./store-failure.ts";
import { SqliteStoreError } from "./store-error.ts";

/** Plain SQL on the store's connection, inside a transaction that the store has begun and will end. */
export interface StoreSql {
  /** Runs a statement; answers how many rows it changed. */
  run(sql: string, values?: readonly SqlValue[]): number;
  /** The first row of a query. With `bigints` every integer is a bigint; without, one beyond 2^53 throws. */
  get(sql: string, values?: readonly SqlValue[], options?: PrepareOptions): SqlRow | undefined;
  /** All rows of a query. */
  all(sql: string, values?: readonly SqlValue[], options?: PrepareOptions): readonly SqlRow[];
}

/**
 * What a transaction's callback gets, an extension's as well as a write's `join`; so code that takes it works in both.
 * It is gone when the callback returns. Its SQL is for the host's own tables; a statement that changes the store's is `invalid_sql`.
 */
export interface SqliteTransaction {
  readonly sql: StoreSql;
}

/** A synchronous callback and the field that a refusal of it names. */
export interface TransactionWork<T> {
  readonly field: string;
  readonly work: (tx: SqliteTransaction) => T;
}

/** Runs a callback with lent SQL. @throws SessionError `invalid_request` when it answers a promise. */
export function withTransaction<T>(connection: StoreConnection, { field, work }: TransactionWork<T>): T {
  const lent = lendSql(connection);
  try {
    const answer = connection.lend(() => work({ sql: lent.sql }));
    lent.check();
    if (typeof (answer as { then?: unknown } | null | undefined)?.then !== "function") return answer;
    void Promise.resolve(answer).catch(() => undefined);
    throw invalidRequest(field, "must be synchronous, and answered a promise");
  } finally {
    lent.end();
  }
}

/** Statements that were judged before; the oldest goes first. */
const judged = new Map<string, string | undefined>();
const maxJudged = 512;

function problemOf(sql: string): string | undefined {
  if (judged.has(sql)) return judged.get(sql);
  const problem = statementProblem(sql);
  const [oldest] = judged.keys();
  if (judged.size >= maxJudged && oldest !== undefined) judged.delete(oldest);
  judged.set(sql, problem);
  return problem;
}

/** SQL for a lent connection; usable until `end` is called, that is while the transaction lasts. */
function lendSql(connection: StoreConnection): { readonly sql: StoreSql; check(): void; end(): void } {
  let ended = false;
  let lost: LostTransaction | undefined;
  const check = (): void => {
    if (lost) throw lost;
  };
  const refused = (reason: string): SqliteStoreError<"invalid_sql"> =>
    new SqliteStoreError("invalid_sql", `the store's connection does not run this: ${reason}`, {
      details: { path: connection.path, reason },
    });
  const step = <T>(
    asked: { readonly sql: string; readonly options?: PrepareOptions | undefined },
    run: (statement: SqlStatement) => T,
  ): T => {
    check();
    if (ended) throw refused("the transaction that lent it has ended");
    const problem = problemOf(asked.sql);
    if (problem !== undefined) throw refused(problem);
    try {
      return run(connection.statement(asked.sql, asked.options));
    } catch (error) {
      if (!isInTransaction(connection)) lost = new LostTransaction(error);
      throw lost ?? error;
    }
  };
  return {
    sql: {
      run: (sql, values = []) => step({ sql }, (statement) => statement.run(...values)),
      get: (sql, values = [], options) => step({ sql, options }, (statement) => statement.get(...values)),
      all: (sql, values = [], options) => step({ sql, options }, (statement) => statement.all(...values)),
    },
    check,
    end: () => void (ended = true),
  };
}

/** False when SQLite has ended the transaction by itself. Asked after a failure: a second `BEGIN` is refused inside one. */
function isInTransaction(connection: StoreConnection): boolean {
  try {
    connection.exec("BEGIN");
  } catch {
    return true;
  }
  connection.rollBack();
  return false;
}
