import { join } from "node:path";
import type { Clock } from "@basis/core";
import { memoryStore } from "@mobkit/session";
import type { PostgresStore } from "@mobkit/session-postgres";
import { loadDriver, openSqliteStore, type SqliteDriver, type SqliteStore } from "@mobkit/session-sqlite";
import { EventEmitter } from "../events/event-emitter.ts";
import { memoryEventLog } from "../events/memory-event-log.ts";
import { openSqliteEventLog } from "../events/sqlite-event-log.ts";
import type { ModelMessage } from "../providers/model.ts";
import type { StateChanges } from "./changes.ts";
import type { HostLedger } from "./host-ledger.ts";
import type { HostStore } from "./host-store.ts";
import type { HostTables } from "./host-tables.ts";
import { memoryLedger } from "./memory-ledger.ts";
import { ledgerMigrations, sqliteLedger } from "./sqlite-ledger.ts";
import { sqliteRedaction } from "./sqlite-redaction.ts";
import type { StateRedaction } from "./state-redaction.ts";
import { sqliteTables } from "./sqlite-tables.ts";
import { stateOf } from "./state-of.ts";
import { storedShape } from "./stored-shape.ts";

/** Everything that a host keeps: transcripts, its own ledger beside them, and the event log. */
export interface HostState {
  readonly store: HostStore;
  readonly ledger: HostLedger<never>;
  readonly events: EventEmitter;
  /** What other processes change in it. */
  readonly changes: StateChanges;
  /** The database that it is kept in, for what else belongs beside it; undefined for files and memory. */
  readonly database?: {
    readonly store: PostgresStore<ModelMessage>;
    readonly url: string;
    /** Sets when leases expire. */
    readonly clock: { now(): Promise<number> };
  };
  /** The files that it is kept in, for what else belongs beside it; undefined for a database and for memory. */
  readonly files?: Pick<SqliteStore<ModelMessage>, "extend">;
  /** Copies transcripts and ledger as they are at one moment into a new file; undefined where nothing is kept. */
  readonly backup?: SqliteStore<ModelMessage>["backup"];
  /** The host's own tables as rows; undefined where nothing is kept. */
  readonly tables?: HostTables;
  /** What a redaction needs beside the store; undefined where nothing is kept. */
  readonly redaction?: StateRedaction;
  close(): Promise<void>;
}

/** How a state is opened. */
export interface StateOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: the machine's clock. */
  readonly clock?: Clock | undefined;
  /** Default: the platform's. */
  readonly driver?: SqliteDriver | undefined;
  /** How long other processes are waited for, in milliseconds. Default 5000. */
  readonly busyTimeoutMs?: number | undefined;
}

/**
 * Opens the state in a directory: `sessions.db` (durable before it is acknowledged) and `events.db` (completed from
 * the transcript after a crash).
 *
 * @throws SqliteStoreError, SessionError `store_newer`, `shape_mismatch`, `busy`.
 */
export async function openState(directory: string, options: StateOptions = {}): Promise<HostState> {
  const driver = options.driver ?? (await loadDriver());
  const store = await openSqliteStore<ModelMessage>(join(directory, "sessions.db"), {
    ...options,
    shape: storedShape,
    driver,
  });
  try {
    const extension = await store.extend({ name: "runtime", migrations: ledgerMigrations });
    const ledger = sqliteLedger(extension, options.clock);
    const log = openSqliteEventLog(driver, join(directory, "events.db"), options.busyTimeoutMs);
    const state = stateOf({ store, ledger, events: new EventEmitter(log, { clock: options.clock }) });
    const redaction = sqliteRedaction(store, extension);
    return {
      ...state,
      redaction,
      files: { extend: (spec) => store.extend(spec) },
      tables: sqliteTables(extension),
      backup: (path, given) => store.backup(path, given),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** State in memory, lost with the process. */
export function memoryState({ clock }: Pick<StateOptions, "clock"> = {}): HostState {
  const store = memoryStore<ModelMessage>({ shape: storedShape, clock });
  const events = new EventEmitter(memoryEventLog(), { clock });
  return stateOf({ store, ledger: memoryLedger(clock), events });
}
