/** What a parameter may be. A list is a Postgres array. */
export type SqlValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | readonly (string | number | null | Uint8Array)[];

/** A row by column. Whole numbers are numbers; a `bigint` column beyond 2^53 fails its query. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** A statement that waits to be sent. */
export interface SqlStatement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** Something that answers queries. Queries that are sent without waiting share a round trip. */
export interface Sql {
  query(text: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
}

/** A statement and its values. */
export function statement(text: string, ...values: readonly SqlValue[]): SqlStatement {
  return { text, values };
}

/** The database's time in milliseconds since the epoch, as the column `now_ms`. */
export const nowColumn = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms";
