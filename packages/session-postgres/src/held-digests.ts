import { textOf } from "./rows.ts";
import type { Sql } from "./sql.ts";

/** Where a digest may stand in a text of the store's own. */
const own: readonly (readonly [table: string, column: string])[] = [
  ["outbox", "payload"],
  ["side_value", "value"],
  ["fork_op", "request"],
  ["fork_op", "initial_message"],
];

/** Every column of the hosts' namespaces that may hold a text. */
const hostColumns = `SELECT quote_ident(relname) AS table_name, quote_ident(attname) AS column_name
  FROM store_extension JOIN pg_class ON starts_with(relname, store_extension.name || '_')
  JOIN pg_attribute ON attrelid = pg_class.oid JOIN pg_type ON pg_type.oid = atttypid
  WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
    AND (typcategory = 'S' OR typname IN ('json', 'jsonb', '_text'))`;

/** Digests that heads of living sessions, waiting events, side state, fork requests and the hosts' own tables name. */
export async function heldDigests(sql: Sql): Promise<ReadonlySet<string>> {
  const [heads, hosts] = await Promise.all([
    sql.query(
      "SELECT DISTINCT request_head FROM session WHERE request_head IS NOT NULL AND state <> 'tombstone'",
    ),
    sql.query(hostColumns),
  ]);
  const held = new Set(heads.map((row) => textOf(row, "request_head")));
  const columns = [
    ...own,
    ...hosts.map((row) => [textOf(row, "table_name"), textOf(row, "column_name")] as const),
  ];
  for (const [table, column] of columns) {
    const rows = await sql.query(
      `SELECT ${column}::text AS kept FROM ${table} WHERE position('sha256:' IN ${column}::text) > 0`,
    );
    for (const row of rows) {
      for (const [digest] of textOf(row, "kept").matchAll(/sha256:[0-9a-f]{64}/g)) held.add(digest);
    }
  }
  return held;
}
