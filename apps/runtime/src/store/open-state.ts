import { join } from "node:path";
import { memoryStore, modelMessageShape, type TranscriptShape } from "@mobkit/session";
import { loadDriver, openSqliteStore } from "@mobkit/session-sqlite";
import { EventEmitter, memoryEventLog } from "../events/event-emitter.ts";
import { openSqliteEventLog } from "../events/sqlite-event-log.ts";
import type { ModelMessage } from "../providers/model.ts";
import type { HostLedger } from "./host-ledger.ts";
import type { HostStore } from "./host-store.ts";
import { memoryLedger } from "./memory-ledger.ts";
import { ledgerMigrations, sqliteLedger } from "./sqlite-ledger.ts";

/** Everything that a host keeps: transcripts, its own ledger beside them, and the event log. */
export interface HostState {
  readonly store: HostStore;
  readonly ledger: HostLedger<never>;
  readonly events: EventEmitter;
  close(): Promise<void>;
}

const shape = modelMessageShape as unknown as TranscriptShape<ModelMessage>;

/**
 * Opens the state in a directory: `sessions.db` (durable before it is acknowledged) and `events.db` (completed from
 * the transcript after a crash).
 *
 * @throws SqliteStoreError, SessionError `store_newer`, `shape_mismatch`, `busy`.
 */
export async function openState(
  directory: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<HostState> {
  const driver = await loadDriver();
  const store = await openSqliteStore<ModelMessage>(join(directory, "sessions.db"), {
    shape,
    driver,
    ...options,
  });
  try {
    const ledger = sqliteLedger(await store.extend({ name: "runtime", migrations: ledgerMigrations }));
    const events = new EventEmitter(openSqliteEventLog(driver, join(directory, "events.db")));
    return stateOf(store, ledger, events);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** State in memory, lost with the process. */
export function memoryState(): HostState {
  const store = memoryStore<ModelMessage>({ shape });
  return stateOf(store, memoryLedger(), new EventEmitter(memoryEventLog()));
}

function stateOf(store: HostStore, ledger: HostLedger<never>, events: EventEmitter): HostState {
  return {
    store,
    ledger,
    events,
    async close() {
      events.close();
      await store.close();
    },
  };
}
