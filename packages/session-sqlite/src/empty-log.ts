import { pauseBetweenTries } from "./lock-wait.ts";
import type { StoreConnection } from "./store-connection.ts";

/**
 * Moves all that the log holds into the file and empties it, so that it keeps nothing that was replaced. Waits for
 * readers, at most `busyTimeoutMs`; false when one stayed or the file failed: what led here is durable either way.
 */
export async function emptyLog(connection: StoreConnection): Promise<boolean> {
  const since = performance.now();
  for (let tries = 1; ; tries += 1) {
    if (isEmptied(connection)) return true;
    if (performance.now() - since >= connection.busyTimeoutMs) return false;
    await pauseBetweenTries(tries);
  }
}

function isEmptied(connection: StoreConnection): boolean {
  try {
    return connection.statement("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;
  } catch {
    return false;
  }
}
