import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import { IDLE_IN_TRANSACTION_MS } from "../../store/idle-in-transaction.ts";
import { APPLICATION } from "./engine-turns.ts";
import { quietLogger, withoutWarning, type Engine } from "./load-engine.ts";

/** Where the engine's tables are. */
export interface EnginePlace {
  readonly url: string;
  readonly schema: string;
  readonly report?: ((text: string) => void) | undefined;
  /** Runs work while no other process runs its own. Absent: nobody else opens the queue for the first time. */
  readonly alone?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
}

/** Undefined table, schema, column: the tables are missing, or being made. Source: PostgreSQL's error codes. */
const NOT_MADE = new Set(["42P01", "3F000", "42703"]);

/** Connects to the engine's tables, and makes them when they are missing. */
export function openClient(engine: Engine, place: EnginePlace): Promise<DBOSClient> {
  return withoutWarning(async () => {
    const client = await engine.DBOSClient.create({
      systemDatabaseUrl: place.url,
      systemDatabaseSchemaName: place.schema,
      systemDatabasePoolSize: 4,
      systemDatabaseIdleTransactionTimeoutMs: IDLE_IN_TRANSACTION_MS,
      applicationName: APPLICATION,
      logger: quietLogger(place.report),
    });
    try {
      const { alone = (work) => work() } = place;
      // The engine's own upkeep of its tables does not bear two processes at once.
      if (!(await isMade(client))) await alone(() => makeTables(engine, place));
      return client;
    } catch (error) {
      await client.destroy();
      throw error;
    }
  });
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

/** The engine makes its tables when it starts; it claims nothing here. */
async function makeTables({ DBOS }: Engine, { url, schema }: EnginePlace): Promise<void> {
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: url,
    systemDatabaseSchemaName: schema,
    listenQueues: [],
    logger: quietLogger(),
  });
  try {
    await DBOS.launch();
  } finally {
    await DBOS.shutdown({ deregister: true });
  }
}
