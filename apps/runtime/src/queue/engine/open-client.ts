import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import type { Pool } from "pg";
import { checkPlace } from "./check-place.ts";
import { openEnginePool, type EnginePoolOptions } from "./engine-pool.ts";
import { EngineTalk } from "./engine-talk.ts";
import { APPLICATION } from "./engine-turns.ts";
import { boundRetries, type Engine } from "./load-engine.ts";

/** Where the engine's tables are. */
export interface EnginePlace {
  readonly url: string;
  readonly schema: string;
  readonly report?: ((text: string) => void) | undefined;
  /** Runs work while no other process runs its own. Absent: nobody else opens the queue for the first time. */
  readonly alone?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
  /** How long one question to the queue's database may take. Default 30 s. */
  readonly patienceMs?: number | undefined;
}

/** What speaks with the engine's tables. */
export interface EngineClient {
  readonly client: DBOSClient;
  /** The connections of the client, and of the engine where it serves. */
  readonly pool: Pool;
  readonly talk: EngineTalk;
  close(): Promise<void>;
}

const PATIENCE_MS = 30_000;
/** Indexes of a large queue take their time. */
const MAKING_PATIENCE_MS = 600_000;
/** For looks at three realms at once, and what a worker asks beside them. */
const MOST_CONNECTIONS = 6;

/** Undefined table, schema, column: the tables are missing, or being made. Source: PostgreSQL's error codes. */
const NOT_MADE = new Set(["42P01", "3F000", "42703"]);

/** Connects to the engine's tables, and makes them when they are missing. */
export async function openClient(engine: Engine, place: EnginePlace): Promise<EngineClient> {
  const { url, schema, patienceMs = PATIENCE_MS } = place;
  await boundRetries(patienceMs);
  const talk = new EngineTalk(place.report);
  const pool = await openPool(url, { most: MOST_CONNECTIONS, patienceMs, talk });
  const client = await engine.DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    systemDatabaseSchemaName: schema,
    applicationName: APPLICATION,
    observabilityQueryTimeoutMs: 0, // the pool's
    logger: talk.logger,
  });
  const close = async (): Promise<void> => {
    await client.destroy();
    await pool.end();
  };
  try {
    await checkPlace(pool, schema);
    if (!(await isMade(client))) await makeTables(engine, place);
    return { client, pool, talk, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function openPool(
  url: string,
  { talk, ...options }: Pick<EnginePoolOptions, "most" | "patienceMs"> & { readonly talk: EngineTalk },
): Promise<Pool> {
  return openEnginePool({ url, ...options, onLost: (error) => talk.connectionLost(error) });
}

async function isMade(client: DBOSClient): Promise<boolean> {
  try {
    await Promise.all([client.listQueues(), client.listWorkflows({ limit: 1 })]);
    return true;
  } catch (error) {
    if (NOT_MADE.has((error as { readonly code?: string }).code ?? "")) return false;
    throw error;
  }
}

/**
 * The engine makes its tables, or brings them up to date, when it starts; it claims nothing here. Its upkeep does not bear two
 * processes at once.
 */
export async function makeTables(
  { DBOS }: Engine,
  { url, schema, alone = (work) => work() }: EnginePlace,
): Promise<void> {
  const talk = new EngineTalk();
  const pool = await openPool(url, { most: 4, patienceMs: MAKING_PATIENCE_MS, talk });
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    systemDatabaseSchemaName: schema,
    listenQueues: [],
    logger: talk.logger,
  });
  try {
    await alone(() => DBOS.launch());
  } finally {
    await DBOS.shutdown({ deregister: true });
    await pool.end();
  }
}
