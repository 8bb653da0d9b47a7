import type { Connection } from "./connection.ts";
import { statementProblem } from "./sql-text.ts";
import { sqlFailure } from "./sql-failure.ts";
import type { SqlRow, SqlValue } from "./sql.ts";
import { isServerError } from "./store-failure.ts";
import { PostgresStoreError } from "./store-error.ts";

/** SQL on the store's connection, inside a transaction that the store has begun and will end. Parameters are `$1`, `$2`, … */
export interface StoreSql {
  /** Runs a statement; answers how many rows it changed. */
  run(sql: string, values?: readonly SqlValue[]): Promise<number>;
  /** The first row of a query. */
  get(sql: string, values?: readonly SqlValue[]): Promise<SqlRow | undefined>;
  /** All rows of a query. */
  all(sql: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
}

/**
 * What a transaction's callback gets, an extension's as well as a write's `join`; so code that takes it works in both.
 * It is gone when the callback has settled. Its SQL is for the host's own tables; a statement that changes the store's is `invalid_sql`.
 */
export interface PostgresTransaction {
  readonly sql: StoreSql;
}

/** The server has undone the transaction after a failure that a callback may have hidden. `cause` is that failure. */
export class LostTransaction extends Error {
  constructor(cause: unknown) {
    super("the transaction was undone by a failure inside it", { cause });
    this.name = "LostTransaction";
  }
}

/** SQL for a connection that is lent; usable until `end`. `check` throws when a statement has failed: the server undoes all then. */
export function lendSql(connection: Connection): { readonly sql: StoreSql; check(): void; end(): void } {
  let ended = false;
  let lost: LostTransaction | undefined;
  const step = async (sql: string, values: readonly SqlValue[] = []) => {
    if (lost) throw lost.cause;
    if (ended) throw refused("the transaction that lent it has ended");
    const problem = statementProblem(sql);
    if (problem !== undefined) throw refused(problem);
    try {
      return await connection.queryOnce(sql, values);
    } catch (error) {
      if (isServerError(error) || sqlFailure(error) === "lost") lost ??= new LostTransaction(error);
      throw error;
    }
  };
  return {
    sql: {
      run: async (sql, values) => (await step(sql, values)).rowCount ?? 0,
      get: async (sql, values) => (await step(sql, values)).rows[0],
      all: async (sql, values) => (await step(sql, values)).rows,
    },
    check: () => {
      if (lost) throw lost;
    },
    end: () => void (ended = true),
  };
}

function refused(reason: string): PostgresStoreError<"invalid_sql"> {
  return new PostgresStoreError("invalid_sql", `the store's connection does not run this: ${reason}`, {
    details: { reason },
  });
}
