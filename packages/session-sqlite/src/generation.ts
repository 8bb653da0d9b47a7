import type { StoreConnection } from "./store-connection.ts";

type Statements = Pick<StoreConnection, "statement">;

/** How many redactions the file has seen. */
export function readGeneration(connection: Statements): number {
  return readCount(connection, "generation");
}

/** Counts one more redaction; answers the new count. */
export function nextGeneration(connection: Statements): number {
  return countOn(connection, "generation");
}

/** Counts one more finished rebase. */
export function countRebase(connection: Statements): void {
  countOn(connection, "rebases");
}

/** Grows with each redaction and each finished rebase. */
export function readEpoch(connection: Statements): number {
  return readCount(connection, "generation") + readCount(connection, "rebases");
}

type Counter = "generation" | "rebases";

function readCount(connection: Statements, name: Counter): number {
  const row = connection.statement("SELECT value FROM store_meta WHERE name = ?").get(name);
  return Number(row?.["value"] ?? 0);
}

function countOn(connection: Statements, name: Counter): number {
  const count = readCount(connection, name) + 1;
  connection
    .statement(
      "INSERT INTO store_meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    )
    .run(name, String(count));
  return count;
}
