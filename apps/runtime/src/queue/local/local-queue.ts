import { setTimeout as pause } from "node:timers/promises";
import { systemClock, type Clock } from "@basis/core";
import type { StoreExtension } from "@mobkit/session-sqlite";
import { alreadyServed, queueClosed, unknownTurn } from "../queue-error.ts";
import { checkTurn, isOver, type NewTurn, type QueuedTurn, type TurnState } from "../queued-turn.ts";
import {
  MAX_WAITING,
  type QueueWorker,
  type RealmCounts,
  type Serving,
  type TurnFilter,
  type TurnQueue,
} from "../turn-queue.ts";
import { LocalServing, type LocalServingTimes } from "./local-serving.ts";
import { queueMigrations } from "./turn-rows.ts";
import { TurnTable } from "./turn-table.ts";

/** How the queue of one machine is opened. */
export interface LocalQueueOptions extends Partial<LocalServingTimes> {
  readonly clock?: Clock | undefined;
  /** Waiting turns of a realm beyond which no more are taken. */
  readonly maxWaiting?: number | undefined;
  /** Told what the store refuses a worker. */
  readonly report?: ((text: string) => void) | undefined;
}

/** A store's file, where the queue's tables lie beside its own. */
export interface QueueFile {
  extend(spec: { readonly name: string; readonly migrations: readonly string[] }): Promise<StoreExtension>;
}

const LOOK_EVERY_MS = 50;

/** Opens the queue in a store's file, for any number of processes on this machine. */
export async function openLocalQueue(file: QueueFile, options: LocalQueueOptions = {}): Promise<TurnQueue> {
  const rows = await file.extend({ name: "queue", migrations: queueMigrations });
  return new LocalQueue(new TurnTable(rows), options);
}

class LocalQueue implements TurnQueue {
  readonly #table: TurnTable;
  readonly #options: LocalQueueOptions;
  readonly #clock: Clock;
  #serving: LocalServing | undefined;
  #isClosed = false;

  constructor(table: TurnTable, options: LocalQueueOptions) {
    this.#table = table;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async enqueue(turn: NewTurn): Promise<QueuedTurn> {
    this.#refuseClosed();
    checkTurn(turn);
    const { maxWaiting = MAX_WAITING } = this.#options;
    const queued = await this.#table.add(turn, { now: this.#clock.now(), maxWaiting });
    this.#serving?.look();
    return queued;
  }

  get(id: string): Promise<QueuedTurn | undefined> {
    return this.#table.get(id);
  }

  list(filter: TurnFilter = {}): Promise<readonly QueuedTurn[]> {
    return this.#table.list(filter);
  }

  idsBySession(states?: readonly TurnState[]): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.#table.idsBySession(states);
  }

  counts(): Promise<readonly RealmCounts[]> {
    return this.#table.counts();
  }

  cancel(id: string): Promise<boolean> {
    return this.#table.cancel(id);
  }

  drop(id: string): Promise<void> {
    return this.#table.drop(id);
  }

  async ended(id: string, signal: AbortSignal): Promise<QueuedTurn> {
    for (;;) {
      signal.throwIfAborted();
      const turn = await this.#table.get(id);
      if (turn === undefined) throw unknownTurn(id);
      if (isOver(turn)) return turn;
      await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  async limitRealm(realm: string, limit: number | undefined): Promise<void> {
    await this.#table.limit(realm, limit);
    this.#serving?.look();
  }

  async serve(worker: QueueWorker): Promise<Serving> {
    this.#refuseClosed();
    if (this.#serving !== undefined) throw alreadyServed();
    const { sweepMs = 3_000, graceMs = 10_000, report } = this.#options;
    const serving = new LocalServing({ table: this.#table, worker, sweepMs, graceMs, report });
    this.#serving = serving;
    serving.start();
    return {
      drain: async (ms) => {
        const left = await serving.drain(ms, this.#clock);
        this.#serving = undefined;
        return left;
      },
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#serving?.drain(0, this.#clock);
    this.#serving = undefined;
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw queueClosed();
  }
}
