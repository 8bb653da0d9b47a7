import { textOf } from "./rows.ts";
import { stateNumber } from "./rows.ts";
import type { StoreConnection } from "./store-connection.ts";

/** A column in whose texts digests may stand. */
interface TextColumn {
  readonly table: string;
  readonly column: string;
}

const own: readonly TextColumn[] = [
  { table: "outbox", column: "payload" },
  { table: "side_value", column: "value" },
  { table: "fork_op", column: "request" },
  { table: "fork_op", column: "initial_message" },
];

/**
 * Digests that something beside rows names: heads of living sessions, waiting events, side state, fork requests, and
 * any text in the tables of the host's namespaces, such as parked approvals.
 */
export function heldDigests(connection: StoreConnection): ReadonlySet<string> {
  const held = new Set<string>();
  const heads = connection
    .statement(
      `SELECT DISTINCT request_head FROM session WHERE request_head IS NOT NULL AND state <> ${stateNumber("tombstone")}`,
    )
    .all();
  for (const row of heads) held.add(textOf(row, "request_head"));
  for (const place of [...own, ...hostColumns(connection)]) {
    for (const text of textsWithDigests(connection, place)) {
      for (const [digest] of text.matchAll(/sha256:[0-9a-f]{64}/g)) held.add(digest);
    }
  }
  return held;
}

/** Every column of the namespaces' tables. */
function hostColumns(connection: StoreConnection): TextColumn[] {
  return connection
    .statement(
      `SELECT tables.name AS "table", columns.name AS "column" FROM store_extension
       JOIN sqlite_schema AS tables ON tables.type = 'table' AND substr(tables.name, 1, length(store_extension.name) + 1) = store_extension.name || '_'
       JOIN pragma_table_info(tables.name) AS columns`,
    )
    .all()
    .map((row) => ({ table: String(row["table"]), column: String(row["column"]) }));
}

function textsWithDigests(connection: StoreConnection, { table, column }: TextColumn): string[] {
  const [from, text] = [quotedName(table), quotedName(column)];
  return connection
    .statement(
      `SELECT CAST(${text} AS TEXT) AS kept FROM ${from} WHERE typeof(${text}) IN ('text', 'blob') AND instr(${text}, 'sha256:') > 0`,
    )
    .all()
    .map((row) => String(row["kept"]));
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
