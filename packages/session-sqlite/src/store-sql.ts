import { invalidRequest } from "@mobkit/session/rules";
import type { PrepareOptions, SqlRow, SqlValue } from "./driver.ts";
import type { StoreConnection } from "./store-connection.ts";
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
 * It is gone when the callback returns. Its SQL is for the host's own tables; the store's are not to be written by it.
 */
export interface SqliteTransaction {
  readonly sql: StoreSql;
}

/** A synchronous callback and the field that a refusal of it names. */
export interface TransactionWork<T> {
  readonly field: string;
  readonly work: (tx: SqliteTransaction) => T;
}

/** What would end, nest or step out of the store's transaction. */
const forbidden =
  /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(begin|commit|end|rollback|savepoint|release|attach|detach|vacuum|pragma)\b/i;

/** Runs a callback with lent SQL. @throws SessionError `invalid_request` when it answers a promise. */
export function withTransaction<T>(connection: StoreConnection, { field, work }: TransactionWork<T>): T {
  const lent = lendSql(connection);
  try {
    const answer = connection.lend(() => work({ sql: lent.sql }));
    if (typeof (answer as { then?: unknown } | null | undefined)?.then !== "function") return answer;
    void Promise.resolve(answer).catch(() => undefined);
    throw invalidRequest(field, "must be synchronous, and answered a promise");
  } finally {
    lent.end();
  }
}

/** SQL for a lent connection; usable until `end` is called, that is while the transaction lasts. */
function lendSql(connection: StoreConnection): { readonly sql: StoreSql; end(): void } {
  let ended = false;
  const prepared = (sql: string, options?: PrepareOptions) => {
    if (ended) throw refused("the transaction that lent it has ended");
    const word = forbidden.exec(sql)?.[1];
    if (word) throw refused(`${word.toUpperCase()} belongs to the store`);
    return connection.statement(sql, options);
  };
  const refused = (reason: string): SqliteStoreError<"invalid_sql"> =>
    new SqliteStoreError("invalid_sql", `the store's connection does not run this: ${reason}`, {
      details: { path: connection.path, reason },
    });
  return {
    sql: {
      run: (sql, values = []) => prepared(sql).run(...values),
      get: (sql, values = [], options) => prepared(sql, options).get(...values),
      all: (sql, values = [], options) => prepared(sql, options).all(...values),
    },
    end: () => void (ended = true),
  };
}
