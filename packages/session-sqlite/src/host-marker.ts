import { newId } from "@basis/core";
import type { StoreConnection } from "./store-connection.ts";
import { hostIdentity, type HostIdentity } from "./store-file.ts";
import { SqliteStoreError } from "./store-error.ts";

/** How `markOpen` decides. */
export interface HostMarkerOptions {
  /** Takes a file over that another machine has not closed, or a process of an earlier release. Default false. */
  readonly adoptHost?: boolean;
  /** This machine; tests give another. */
  readonly host?: HostIdentity;
}

/**
 * Notes in the file that this process has it open, and refuses one that a process of another machine has open or
 * did not close: the write-ahead log's locks do not reach across machines. Marks of earlier boots and of ended
 * processes of this machine are swept. Runs inside the caller's transaction; answers the mark's id.
 *
 * @throws SqliteStoreError `foreign_host`.
 */
export function markOpen(
  connection: StoreConnection,
  options: HostMarkerOptions & { readonly now: number },
): string {
  const { hostId, bootId } = options.host ?? hostIdentity();
  refuseForeignHosts(connection, options);
  for (const row of connection.statement("SELECT * FROM store_opener").all()) {
    const sameBoot = row["boot_id"] === bootId;
    if (!sameBoot || (row["host_id"] === hostId && !isAlive(Number(row["pid"])))) {
      connection.statement("DELETE FROM store_opener WHERE id = ?").run(row["id"]!);
    }
  }
  const id = newId(options.now);
  connection
    .statement("INSERT INTO store_opener (id, host_id, boot_id, pid, opened_at) VALUES (?, ?, ?, ?, ?)")
    .run(id, hostId, bootId, process.pid, options.now);
  return id;
}

/**
 * Refuses a file that a process of another machine has open or did not close.
 *
 * @throws SqliteStoreError `foreign_host`.
 */
export function refuseForeignHosts(connection: StoreConnection, options: HostMarkerOptions): void {
  if (options.adoptHost) return;
  const { hostId, bootId } = options.host ?? hostIdentity();
  const foreign = connection
    .statement("SELECT host_id, opened_at FROM store_opener WHERE boot_id <> ? AND host_id <> ?")
    .get(bootId, hostId);
  if (foreign !== undefined)
    throw foreignHost(connection, String(foreign["host_id"]), Number(foreign["opened_at"]));
}

/** Removes the mark. */
export function unmarkOpen(connection: StoreConnection, id: string): void {
  connection.statement("DELETE FROM store_opener WHERE id = ?").run(id);
}

/** Whether a process of this machine runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code === "EPERM";
  }
}

function foreignHost(
  connection: StoreConnection,
  host: string,
  openedAt: number,
): SqliteStoreError<"foreign_host"> {
  const { path } = connection;
  const message =
    `${path} is open on, or was not closed by, another machine (${host}): one machine may use it at a time. ` +
    `Pass adoptHost when that machine is surely done, or use @mobkit/session-postgres for several machines`;
  return new SqliteStoreError("foreign_host", message, { details: { path, host, openedAt } });
}
