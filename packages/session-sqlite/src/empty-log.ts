import { pauseBetweenTries } from "./lock-wait.ts";
import type { StoreConnection } from "./store-connection.ts";

/**
 * Moves all that the log holds into the file and empties it, so that it keeps nothing that was replaced. Waits for
 * readers, at most `busyTimeoutMs`; false when one stayed.
 */
export async function emptyLog(connection: StoreConnection): Promise<boolean> {
  const since = performance.now();
  for (let tries = 1; ; tries += 1) {
    const row = connection.statement("PRAGMA wal_checkpoint(TRUNCATE)").get();
    if (row?.["busy"] === 0) return true;
    if (performance.now() - since >= connection.busyTimeoutMs) return false;
    await pauseBetweenTries(tries);
  }
}
