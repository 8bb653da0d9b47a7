import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasDatabase, tablesWith } from "./database-state.ts";
import type { TestHost } from "./test-host.ts";

/** What of the data directory or the database holds the text, looked at as bytes. Closes the host: a second handle would drop its locks. */
export async function bytesWith(host: TestHost, text = "CANARY"): Promise<readonly string[]> {
  await host.close();
  if (hasDatabase) return tablesWith(host.dataDir, text);
  const files = ["sessions.db", "events.db"].flatMap((name) => [name, `${name}-wal`, `${name}-shm`]);
  return files.filter((name) => {
    const path = join(host.dataDir, name);
    return existsSync(path) && readFileSync(path).includes(text);
  });
}
