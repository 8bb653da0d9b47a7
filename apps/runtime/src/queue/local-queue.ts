import { onAbort, systemClock, type Clock } from "@basis/core";
import { LocalServing } from "./local-serving.ts";
import { countsOf, queueFull } from "./queue-counts.ts";
import { alreadyServed, queueClosed, unknownTurn, writeConflict, wrongState } from "./queue-error.ts";
import { checkTurn, isOver, turnDigest, type NewTurn, type QueuedTurn } from "./queued-turn.ts";
import {
  MAX_WAITING,
  type QueueWorker,
  type RealmCounts,
  type Serving,
  type TurnFilter,
  type TurnQueue,
} from "./turn-queue.ts";
import type { TurnRows } from "./turn-rows.ts";

/** How the queue of one process is opened. */
export interface LocalQueueOptions {
  readonly rows: TurnRows;
  readonly clock?: Clock | undefined;
  /** Waiting turns of a realm beyond which no more are taken. */
  readonly maxWaiting?: number | undefined;
}

/** Turns whose end is still known; the oldest of more are forgotten. */
const MAX_ENDED = 256;

/** Opens a queue that one process fills and serves. Turns that the process before it left running wait again. */
export async function openLocalQueue(options: LocalQueueOptions): Promise<TurnQueue> {
  const queue = new LocalQueue(options);
  await queue.load();
  return queue;
}

class LocalQueue implements TurnQueue {
  readonly #rows: TurnRows;
  readonly #clock: Clock;
  readonly #maxWaiting: number;
  readonly #turns = new Map<string, QueuedTurn>();
  readonly #limits = new Map<string, number>();
  /** The turns whose rows are being written. */
  readonly #arriving = new Map<string, Promise<QueuedTurn>>();
  readonly #watchers = new Set<() => void>();
  #serving: LocalServing | undefined;
  #isClosed = false;

  constructor({ rows, clock = systemClock, maxWaiting = MAX_WAITING }: LocalQueueOptions) {
    this.#rows = rows;
    this.#clock = clock;
    this.#maxWaiting = maxWaiting;
  }

  async load(): Promise<void> {
    const { turns, limits } = await this.#rows.load();
    for (const [realm, limit] of limits) this.#limits.set(realm, limit);
    for (const turn of turns) this.#turns.set(turn.id, turn);
    for (const turn of turns) if (turn.state === "running") await this.#change({ ...turn, state: "waiting" });
  }

  async enqueue(turn: NewTurn): Promise<QueuedTurn> {
    this.#refuseClosed();
    checkTurn(turn);
    const known = await (this.#arriving.get(turn.id) ?? this.#turns.get(turn.id));
    if (known !== undefined) {
      if (turnDigest(known) !== turnDigest(turn)) throw writeConflict(turn.id);
      return this.#turns.get(turn.id) ?? known;
    }
    const { realm } = turn;
    const waiting = [...this.#turns.values()].filter(
      (other) => other.realm === realm && other.state === "waiting",
    );
    if (waiting.length >= this.#maxWaiting) throw queueFull(realm, waiting.length, this.#maxWaiting);
    const arrived = this.#admit(turn).finally(() => this.#arriving.delete(turn.id));
    this.#arriving.set(turn.id, arrived);
    return arrived;
  }

  async get(id: string): Promise<QueuedTurn | undefined> {
    return this.#turns.get(id);
  }

  async list({ states, realm, limit = 100 }: TurnFilter = {}): Promise<readonly QueuedTurn[]> {
    const isListed = (turn: QueuedTurn): boolean =>
      (states === undefined || states.includes(turn.state)) && (realm === undefined || turn.realm === realm);
    return [...this.#turns.values()].filter(isListed).slice(0, limit);
  }

  async counts(): Promise<readonly RealmCounts[]> {
    return countsOf([...this.#turns.values()], this.#limits);
  }

  async cancel(id: string): Promise<boolean> {
    const turn = this.#require(id);
    if (turn.state !== "waiting") return false;
    await this.#change({ ...turn, state: "cancelled" });
    return true;
  }

  async drop(id: string): Promise<void> {
    const turn = this.#require(id);
    if (!isOver(turn)) throw wrongState(id, turn.state, "over");
    await this.#rows.remove(id);
    this.#turns.delete(id);
  }

  async ended(id: string, signal: AbortSignal): Promise<QueuedTurn> {
    for (;;) {
      signal.throwIfAborted();
      const turn = this.#require(id);
      if (isOver(turn)) return turn;
      await this.#changed(signal);
    }
  }

  async limitRealm(realm: string, limit: number | undefined): Promise<void> {
    await this.#rows.limit(realm, limit);
    if (limit === undefined) this.#limits.delete(realm);
    else this.#limits.set(realm, limit);
    this.#tell();
  }

  async serve(worker: QueueWorker): Promise<Serving> {
    this.#refuseClosed();
    if (this.#serving !== undefined) throw alreadyServed();
    const change = (turn: QueuedTurn): Promise<void> => this.#change(turn);
    const serving = new LocalServing(worker, { turns: this.#turns, limits: this.#limits, change });
    this.#serving = serving;
    serving.look();
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

  async #admit(turn: NewTurn): Promise<QueuedTurn> {
    const queued: QueuedTurn = { ...turn, state: "waiting", queuedAt: this.#clock.now() };
    await this.#change(queued);
    return queued;
  }

  async #change(turn: QueuedTurn): Promise<void> {
    await this.#rows.put(turn);
    this.#turns.set(turn.id, turn);
    if (isOver(turn)) await this.#forgetOldest();
    this.#tell();
  }

  async #forgetOldest(): Promise<void> {
    const over = [...this.#turns.values()].filter(({ state }) => state === "ended" || state === "cancelled");
    for (const { id } of over.slice(0, -MAX_ENDED)) {
      this.#turns.delete(id);
      await this.#rows.remove(id);
    }
  }

  #tell(): void {
    for (const watcher of this.#watchers) watcher();
    this.#serving?.look();
  }

  /** Until some turn has changed, or the signal aborts. */
  #changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#watchers.delete(wake);
        unwatch();
        resolve();
      };
      const unwatch = onAbort(signal, wake);
      this.#watchers.add(wake);
    });
  }

  #require(id: string): QueuedTurn {
    const turn = this.#turns.get(id);
    if (turn === undefined) throw unknownTurn(id);
    return turn;
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw queueClosed();
  }
}
