import type { StoreConnection } from "./store-connection.ts";

/** How many redactions the file has seen. */
export function readGeneration(connection: Pick<StoreConnection, "statement">): number {
  const row = connection.statement("SELECT value FROM store_meta WHERE name = 'generation'").get();
  return Number(row?.["value"] ?? 0);
}

/** Counts one more redaction; answers the new count. */
export function nextGeneration(connection: StoreConnection): number {
  const generation = readGeneration(connection) + 1;
  connection
    .statement(
      "INSERT INTO store_meta (name, value) VALUES ('generation', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    )
    .run(String(generation));
  return generation;
}
