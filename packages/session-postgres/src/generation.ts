import { integerOf } from "@mobkit/session/rules";
import { statement, type Sql, type SqlStatement } from "./sql.ts";

/** How many redactions the store has seen. */
export function readGeneration(sql: Sql): Promise<number> {
  return readCounts(sql, ["generation"]);
}

/** Grows with each redaction and each finished rebase. */
export function readEpoch(sql: Sql): Promise<number> {
  return readCounts(sql, ["generation", "rebases"]);
}

async function readCounts(sql: Sql, names: readonly string[]): Promise<number> {
  const [row] = await sql.query(
    "SELECT coalesce(sum(value::bigint), 0)::bigint AS count FROM store_meta WHERE name = ANY ($1::text[])",
    [names],
  );
  return integerOf(row!, "count");
}

/** Counts one more. */
export function countOn(name: "generation" | "rebases"): SqlStatement {
  return statement(
    `INSERT INTO store_meta (name, value) VALUES ($1, '1')
     ON CONFLICT (name) DO UPDATE SET value = (store_meta.value::bigint + 1)::text`,
    name,
  );
}
