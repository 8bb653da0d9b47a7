import { setTimeout as pause } from "node:timers/promises";
import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import { APPLICATION } from "./engine-turns.ts";
import { quietLogger, withoutWarning, type Engine } from "./load-engine.ts";

/** Where the engine's tables are. */
export interface EnginePlace {
  readonly url: string;
  readonly schema: string;
  readonly report?: ((text: string) => void) | undefined;
}

/** Undefined table, schema, column: the tables are missing, or being made. Source: PostgreSQL's error codes. */
const NOT_MADE = new Set(["42P01", "3F000", "42703"]);
/** Processes that find a database without the engine's tables make them at once; all but one of them fail at that. */
const TRIES = 8;
const BETWEEN_TRIES_MS = 400;

/** Connects to the engine's tables, and makes them when they are missing. */
export function openClient(engine: Engine, place: EnginePlace): Promise<DBOSClient> {
  return withoutWarning(async () => {
    const client = await engine.DBOSClient.create({
      systemDatabaseUrl: place.url,
      systemDatabaseSchemaName: place.schema,
      systemDatabasePoolSize: 4,
      applicationName: APPLICATION,
      logger: quietLogger(place.report),
    });
    try {
      if (!(await isMade(client))) await makeTables(engine, place);
      return client;
    } catch (error) {
      await client.destroy();
      throw error;
    }
  });
}

async function isMade(client: DBOSClient): Promise<boolean> {
  try {
    await client.listQueues();
    await client.listWorkflows({ limit: 1 });
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
    await launch(DBOS);
  } finally {
    await DBOS.shutdown({ deregister: true });
  }
}

/** Starts the engine in this process, again when another one was making the tables at the same time. */
export async function launch(DBOS: Engine["DBOS"]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await DBOS.launch();
    } catch (error) {
      await DBOS.shutdown();
      if (attempt === TRIES || !isCrowd(error)) throw error;
      await pause(BETWEEN_TRIES_MS * (0.5 + Math.random()));
    }
  }
}

/** What a process meets when another makes the same tables. */
function isCrowd(error: unknown): boolean {
  const { message } = error as Error;
  return /concurrently updated|already exists|duplicate key|does not exist|deadlock/.test(message);
}
