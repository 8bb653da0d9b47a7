import { driverFailure, type SqliteDriver } from "./driver.ts";
import { isAlive, type HostMarkerOptions } from "./host-marker.ts";
import { pauseBetweenTries } from "./lock-wait.ts";
import { schemaVersions } from "./schema.ts";
import type { StoreConnection } from "./store-connection.ts";
import { SqliteStoreError } from "./store-error.ts";
import { sessionFailure } from "./store-failure.ts";
import { hostIdentity } from "./store-file.ts";

/** How long a process that has the file open may take to close it before a migration is refused. */
const CLOSING_MS = 1000;

/** Who asks, and how. */
export interface SweepOptions extends HostMarkerOptions {
  readonly driver: SqliteDriver;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Before the schema of a file changes: waits a little for whoever has it open, and removes the marks behind which nobody
 * is. A number does not tell whether it is still the process's that left the mark, and tells nothing of another
 * container, so SQLite is asked: it gives the file to one connection alone only while no other is open. To be called
 * before anything was prepared over the connection. Answers whether it could be asked: a caller's handle stays open.
 *
 * @throws SessionError `store_unavailable`, `store_corrupt`.
 */
export async function sweepOpeners(connection: StoreConnection, options: SweepOptions): Promise<boolean> {
  const patienceMs = Math.min(CLOSING_MS, connection.busyTimeoutMs);
  const start = performance.now();
  for (let tries = 0; ; tries += 1) {
    options.signal?.throwIfAborted();
    if (!(await connection.patiently(() => hasMarks(connection, options), options.signal))) return true;
    if (!connection.release()) return false;
    if (sweep(connection, options) || performance.now() - start >= patienceMs) return true;
    await pauseBetweenTries(tries);
  }
}

/** Refuses a migration while somebody has the file open. @throws SqliteStoreError `in_use`. */
export function refuseOpeners(
  connection: StoreConnection,
  options: HostMarkerOptions & {
    /** What `sweepOpeners` has left is open. Default false: a mark counts while a process of its number runs here. */
    readonly isSwept?: boolean | undefined;
  },
): void {
  if (options.adoptHost) return;
  const { hostId, bootId } = options.host ?? hostIdentity();
  const { path } = connection;
  const marks = connection.statement("SELECT * FROM store_opener WHERE boot_id = ?").all(bootId);
  const isHere = (mark: (typeof marks)[number]): boolean => {
    const pid = Number(mark["pid"]);
    return mark["host_id"] === hostId && pid !== process.pid && isAlive(pid);
  };
  const here = marks.find(isHere);
  const open = here ?? (options.isSwept ? marks[0] : undefined);
  if (open === undefined) return;
  const pid = Number(open["pid"]);
  const who = here ? `process ${pid}` : `a process, in another container perhaps,`;
  const message = `${path} is open in ${who} of an earlier release, and its schema has to change: end that process, then open again`;
  const details = { path, pid, openedAt: Number(open["opened_at"]) };
  throw new SqliteStoreError("in_use", message, { details });
}

/**
 * Whether the file is of an earlier schema and has marks of this boot; what else is wrong with it is told later. Nothing
 * is prepared: a driver may keep a closed handle open until its statements are collected. What is executed answers no
 * rows, so that a number that overflows says yes.
 */
function hasMarks(connection: StoreConnection, options: HostMarkerOptions): boolean {
  const isOlder = `(SELECT user_version FROM pragma_user_version) BETWEEN 1 AND ${schemaVersions.length - 1}`;
  try {
    connection.exec(
      `SELECT abs(-9223372036854775807 - 1) WHERE ${isOlder} AND EXISTS (SELECT 1 ${marksOf(options)})`,
    );
    return false;
  } catch (error) {
    // Somebody may be making the file a store at this moment.
    if (driverFailure(error) === "busy") throw error;
    return String(error).includes("integer overflow");
  }
}

/** False while somebody else has the file open. */
function sweep({ path }: StoreConnection, options: SweepOptions): boolean {
  const handle = options.driver.open(path);
  try {
    handle.exec("PRAGMA locking_mode = EXCLUSIVE");
    handle.exec(`DELETE ${marksOf(options)}`);
    return true;
  } catch (error) {
    if (driverFailure(error) === "busy") return false;
    throw sessionFailure(path, error);
  } finally {
    handle.close();
  }
}

/** The marks of this boot, for a statement that binds nothing. */
function marksOf({ host }: HostMarkerOptions): string {
  const { bootId } = host ?? hostIdentity();
  return `FROM store_opener WHERE boot_id = '${bootId.replaceAll("'", "''")}'`;
}
