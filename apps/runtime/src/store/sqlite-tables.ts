import type { StoreExtension } from "@mobkit/session-sqlite";
import { movedTables, type HostTables, type MovedTable, type TableRow } from "./host-tables.ts";

const PAGE = 500;

/** The host's tables in the store's file, as rows. */
export function sqliteTables(extension: StoreExtension): HostTables {
  return {
    async *rows(table) {
      const columns = movedTables[table].join(", ");
      const page = `SELECT rowid AS number, ${columns} FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${PAGE}`;
      for (let after = 0; ;) {
        const rows = await extension.read(({ sql }) => sql.all(page, [after]));
        for (const row of rows) yield rowOf(table, row);
        if (rows.length < PAGE) return;
        after = Number(rows.at(-1)!["number"]);
      }
    },
    add: (table, rows) =>
      extension.transaction(({ sql }) => {
        const columns = movedTables[table];
        const places = columns.map(() => "?").join(", ");
        for (const row of rows)
          sql.run(
            `INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) VALUES (${places})`,
            columns.map((column) => row[column]!),
          );
      }),
    movedFrom: () =>
      extension.read(({ sql }) => {
        const source = sql.get("SELECT source FROM runtime_move")?.["source"];
        return source === undefined ? undefined : String(source);
      }),
    noteMove: (source) =>
      extension.transaction(({ sql }) => {
        sql.run("DELETE FROM runtime_move", []);
        if (source !== undefined) sql.run("INSERT INTO runtime_move (id, source) VALUES (1, ?)", [source]);
      }),
  };
}

/** A row by the columns that are taken along. */
export function rowOf(table: MovedTable, row: Readonly<Record<string, unknown>>): TableRow {
  return Object.fromEntries(
    movedTables[table].map((column) => {
      const value = row[column] ?? null;
      return [column, typeof value === "bigint" ? Number(value) : (value as string | number | null)];
    }),
  );
}
