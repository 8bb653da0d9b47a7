import type { Sql, SqlRow } from "./sql.ts";

/**
 * Keeps redactions and removals out until the transaction ends; whatever copies what it has read (a fork, a rebase) asks
 * for it before it reads. Many may have it at once.
 */
export function shareUpkeep(sql: Sql, schema: string): Promise<readonly SqlRow[]> {
  return sql.query("SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 1))", [`mobkit ${schema}`]);
}

/** Keeps forks, rebases and other upkeep out until the transaction ends. */
export function holdUpkeep(sql: Sql, schema: string): Promise<readonly SqlRow[]> {
  return sql.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 1))", [`mobkit ${schema}`]);
}
