import type { Pool } from "pg";
import { IDLE_IN_TRANSACTION_MS } from "../../store/idle-in-transaction.ts";

/** How the engine's connections are made. */
export interface EnginePoolOptions {
  readonly url: string;
  /** Connections at most. */
  readonly most: number;
  /** How long a connection or a statement may take; one that takes longer ends with its connection. */
  readonly patienceMs: number;
  /** Told of a connection that ends while nobody has it. */
  readonly onLost: (error: Error) => void;
}

/** Settings that a worker's promises depend on, whatever server and user have as defaults. */
const settle = `SELECT set_config('idle_in_transaction_session_timeout', $1, false),
  set_config('statement_timeout', $2, false), set_config('lock_timeout', $2, false),
  set_config('default_transaction_isolation', 'read committed', false)`;

/**
 * The connections of the engine and its client. The engine's own pool waits without end for an answer on a connection whose
 * network broke without a word; a worker that does so notices no dead one in time.
 */
export async function openEnginePool({ url, most, patienceMs, onLost }: EnginePoolOptions): Promise<Pool> {
  const { default: pg } = await import("pg");
  const values = [IDLE_IN_TRANSACTION_MS, patienceMs].map(String);
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "basis-queue",
    max: most,
    keepAlive: true,
    connectionTimeoutMillis: patienceMs,
    // The server gives up first; who hears nothing even then ends the connection, which the driver does in pipelines alone.
    query_timeout: patienceMs * 1.5,
    pipeline: true,
    // The pool waits for it before it hands the connection out, whatever its type says.
    onConnect: async (client) => void (await client.query(settle, values)),
  });
  pool.on("error", onLost);
  return pool;
}
