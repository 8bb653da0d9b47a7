import type { StoreExtension } from "@mobkit/session-postgres";
import { movedTables, type HostTables } from "../host-tables.ts";
import { rowOf } from "../sqlite-tables.ts";

const PAGE = 500;

/** The host's tables in the store's schema, as rows. */
export function postgresTables(extension: StoreExtension): HostTables {
  return {
    async *rows(table) {
      const columns = movedTables[table].join(", ");
      const page = `SELECT number, ${columns} FROM ${table} WHERE number > $1 ORDER BY number LIMIT ${PAGE}`;
      for (let after = 0; ;) {
        const rows = await extension.statement(page, [after]);
        for (const row of rows) yield rowOf(table, row);
        if (rows.length < PAGE) return;
        after = Number(rows.at(-1)!["number"]);
      }
    },
    add: (table, rows) =>
      extension.transaction(async ({ sql }) => {
        const columns = movedTables[table];
        const places = columns.map((_, at) => `$${at + 1}`).join(", ");
        const insert = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places}) ON CONFLICT DO NOTHING`;
        await Promise.all(
          rows.map((row) =>
            sql.run(
              insert,
              columns.map((column) => row[column]!),
            ),
          ),
        );
      }),
    async movedFrom() {
      const [row] = await extension.statement("SELECT source FROM runtime_move");
      return row && String(row["source"]);
    },
    noteMove: (source) =>
      extension.transaction(async ({ sql }) => {
        await sql.run("DELETE FROM runtime_move");
        if (source !== undefined)
          await sql.run("INSERT INTO runtime_move (id, source) VALUES (1, $1)", [source]);
      }),
  };
}
