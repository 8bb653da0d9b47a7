import { StartError } from "../config/start-error.ts";
import { hasNoRoom, roomRemedy } from "../store/open-database.ts";
import type { HostState } from "../store/open-state.ts";
import type { ServingTimes } from "./engine/engine-serving.ts";
import type { EnginePlace } from "./engine/open-client.ts";
import { QueueError } from "./queue-error.ts";
import type { TurnQueue } from "./turn-queue.ts";

/** How the queue of a state is opened. */
export interface QueueOptions {
  /** Told what the engine, or the store, has trouble with. */
  readonly report?: ((text: string) => void) | undefined;
  /**
   * How long the leases of the workers' turns last: how soon what others hold is looked after, and how long
   * an answer is waited for, follow from it. Absent for whoever serves no turns.
   */
  readonly leaseMs?: number | undefined;
}

/** What a queue lies in. */
export type QueuePlace = Pick<HostState, "database" | "files">;

/**
 * The queue that lies in a state: in its files for the processes of this machine, in its database for any number of
 * machines. The engine is loaded here, and nowhere without a database.
 *
 * @throws StartError `store` for a state in memory, and for an engine that is missing or does not answer.
 */
export async function openQueue(
  { database, files }: QueuePlace,
  { report, leaseMs }: QueueOptions = {},
): Promise<TurnQueue> {
  const times = leaseMs === undefined ? undefined : timesOf(leaseMs);
  if (files !== undefined) {
    const { openLocalQueue } = await import("./local/local-queue.ts");
    return openLocalQueue(files, { report, ...times });
  }
  if (database === undefined)
    throw new StartError("store", ["what is kept in memory has no queue: leave out --ephemeral"]);
  const { openEngineQueue } = await import("./engine/engine-queue.ts");
  const { store, url } = database;
  try {
    const { storeTables } = await import("./engine/store-tables.ts");
    const place = { url, schema: `${store.schema}_queue`, report, ...(await storeTables(store)) };
    return await openEngineQueue({ ...place, ...times });
  } catch (error) {
    throw queueRefusal(error);
  }
}

/** Why the queue cannot be used by a process that starts, and what to do. */
export function queueRefusal(error: unknown): StartError {
  const { message } = error as Error;
  const remedy = hasNoRoom(error) ? roomRemedy : isQueueRefusal(error) ? error.details.remedy : undefined;
  return new StartError("store", remedy === undefined ? [message] : [message, remedy], error);
}

function isQueueRefusal(error: unknown): error is QueueError<"engine_refused"> {
  return error instanceof QueueError && error.code === "engine_refused";
}

/** A turn that nobody holds is another's within twice the lease, and not before a slow worker has begun it. */
function timesOf(leaseMs: number): ServingTimes & Pick<EnginePlace, "patienceMs"> {
  const patienceMs = Math.min(LONGEST_PATIENCE_MS, Math.max(SHORTEST_PATIENCE_MS, leaseMs / 5));
  return { sweepMs: leaseMs / 5, graceMs: Math.max(SHORTEST_GRACE_MS, leaseMs), patienceMs };
}

const SHORTEST_GRACE_MS = 2_000;
const SHORTEST_PATIENCE_MS = 1_000;
const LONGEST_PATIENCE_MS = 10_000;

/** What the queue of a state knows of a run; undefined where there is no queue, or the run was never in it. */
export async function askQueue<T>(
  state: QueuePlace,
  work: (queue: TurnQueue) => Promise<T>,
): Promise<T | undefined> {
  if (!(await mayHaveQueue(state))) return undefined;
  const queue = await openQueue(state);
  return work(queue).finally(() => queue.close());
}

async function mayHaveQueue({ database, files }: QueuePlace): Promise<boolean> {
  if (database === undefined) return files !== undefined;
  const { requireEngine } = await import("./engine/load-engine.ts");
  try {
    requireEngine();
  } catch {
    return false;
  }
  // Whoever only asks makes no tables.
  const { store } = database;
  const { hostTables, NAMESPACE } = await import("../store/postgres/host-tables.ts");
  const tables = await store.extend({ name: NAMESPACE, migrations: hostTables });
  const engines = `"${store.schema}_queue".workflow_status`;
  const [row] = await tables.statement("SELECT to_regclass($1)::text AS made", [engines]);
  return row?.["made"] !== null;
}
