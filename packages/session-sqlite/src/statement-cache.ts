import type { PrepareOptions, SqliteConnection, SqlStatement } from "./driver.ts";

/** Statements kept prepared; the oldest goes first. */
const maxStatements = 512;

/** The prepared statements of one open handle, by their text. */
export class StatementCache {
  readonly #plain = new Map<string, SqlStatement>();
  readonly #withBigints = new Map<string, SqlStatement>();

  /** The statement of a text; `connect` answers the handle when it has to be prepared. */
  statement(connect: () => SqliteConnection, sql: string, options: PrepareOptions): SqlStatement {
    const statements = options.bigints === true ? this.#withBigints : this.#plain;
    const known = statements.get(sql);
    if (known) return known;
    const statement = connect().prepare(sql, options);
    const [oldest] = statements.keys();
    if (statements.size >= maxStatements && oldest !== undefined) statements.delete(oldest);
    statements.set(sql, statement);
    return statement;
  }

  clear(): void {
    this.#plain.clear();
    this.#withBigints.clear();
  }
}
