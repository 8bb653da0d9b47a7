import { newId } from "@basis/core";
import { openPostgresStore, type PostgresStore } from "@mobkit/session-postgres";
import { EventEmitter } from "../../events/event-emitter.ts";
import { PostgresEventLog } from "../../events/postgres-event-log.ts";
import type { ModelMessage } from "../../providers/model.ts";
import type { HostState, StateOptions } from "../open-state.ts";
import { stateOf } from "../state-of.ts";
import { storedShape } from "../stored-shape.ts";
import { IDLE_IN_TRANSACTION_MS } from "../idle-in-transaction.ts";
import { checkRights } from "./check-rights.ts";
import { DatabaseClock } from "./database-clock.ts";
import { hostTables, NAMESPACE } from "./host-tables.ts";
import { PostgresChanges } from "./postgres-changes.ts";
import { postgresLedger } from "./postgres-ledger.ts";
import { postgresRedaction } from "./postgres-redaction.ts";
import { postgresTables } from "./postgres-tables.ts";
import { turnStore } from "./turn-store.ts";

/** A state in a database, and what else is to be kept there is kept with it. */
export interface PostgresState extends HostState {
  readonly database: NonNullable<HostState["database"]>;
}

/** Where the state is, and how it is opened. */
export interface PostgresStateOptions extends StateOptions {
  readonly schema: string;
  /** How long the first event of a batch waits for others. Default 25. */
  readonly gatherMs?: number | undefined;
  /** For how long what a round trip brought along answers the reads that follow it. Default 100. */
  readonly nearMs?: number | undefined;
  /** As for the store. */
  readonly limits?:
    | Pick<
        Parameters<typeof openPostgresStore>[1] & object,
        "maxConnections" | "busyTimeoutMs" | "statementTimeoutMs" | "reconnectMs"
      >
    | undefined;
}

/** How long the first event of a batch waits for others: a batch is a round trip. */
const GATHER_MS = 25;

/**
 * Opens the state in one schema of a database: transcripts, the host's ledger beside them, and the event log, each
 * durable before it is acknowledged, for any number of machines.
 *
 * @throws PostgresStoreError, SessionError `store_newer`, `shape_mismatch`, `busy`, `store_unavailable`.
 */
export async function openPostgresState(url: string, options: PostgresStateOptions): Promise<PostgresState> {
  const { schema, signal, clock, limits, nearMs, gatherMs = GATHER_MS } = options;
  const store: PostgresStore<ModelMessage> = await openPostgresStore<ModelMessage>(url, {
    idleInTransactionMs: IDLE_IN_TRANSACTION_MS,
    ...limits,
    schema,
    shape: storedShape,
    signal,
  });
  try {
    const extension = await store.extend({ name: NAMESPACE, migrations: hostTables });
    await checkRights(extension, store);
    const origin = newId();
    const changes = new PostgresChanges(extension, origin);
    const events = new EventEmitter(new PostgresEventLog(extension, origin), { clock, gatherMs });
    const ledger = postgresLedger(extension, clock);
    const state = stateOf({ store: turnStore(store, nearMs), ledger, events, changes });
    const redaction = postgresRedaction(store, extension);
    return {
      ...state,
      redaction,
      tables: postgresTables(extension),
      database: { store, url, clock: new DatabaseClock(extension) },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
