import { onAbort, systemClock, type Clock } from "@basis/core";
import { LocalServing } from "./local-serving.ts";
import { countsOf, queueFull } from "./queue-counts.ts";
import { alreadyServed, queueClosed, unknownTurn, writeConflict, wrongState } from "./queue-error.ts";
import { checkTurn, turnDigest, type NewTurn, type QueuedTurn } from "./queued-turn.ts";
import { MAX_WAITING, type Serving, type TurnFilter, type TurnQueue } from "./turn-queue.ts";
import type { TurnRows } from "./turn-rows.ts";

/** How the queue of one process is opened. */
export interface LocalQueueOptions {
  readonly rows: TurnRows;
  readonly clock?: Clock | undefined;
  /** Waiting turns of a realm beyond which no more are taken. */
  readonly maxWaiting?: number | undefined;
}

const isOver = ({ state }: QueuedTurn): boolean => state !== "waiting" && state !== "running";

/** Turns whose end is still known; the oldest of more are forgotten. */
const MAX_ENDED = 256;

/**
 * A queue that one process fills and serves. Turns that the process before this one left running wait again.
 */
export async function openLocalQueue(options: LocalQueueOptions): Promise<TurnQueue> {
  const { rows, clock = systemClock, maxWaiting = MAX_WAITING } = options;
  const { turns: kept, limits: keptLimits } = await rows.load();
  const turns = new Map(kept.map((turn) => [turn.id, turn]));
  const limits = new Map(keptLimits);
  const watchers = new Set<() => void>();
  let serving: LocalServing | undefined;
  let isClosed = false;

  const tell = (): void => {
    for (const watcher of watchers) watcher();
    serving?.look();
  };
  const change = async (turn: QueuedTurn): Promise<void> => {
    await rows.put(turn);
    turns.set(turn.id, turn);
    if (isOver(turn)) await forgetOldest();
    tell();
  };
  const forgetOldest = async (): Promise<void> => {
    const over = [...turns.values()].filter(({ state }) => state === "ended" || state === "cancelled");
    for (const { id } of over.slice(0, -MAX_ENDED)) {
      turns.delete(id);
      await rows.remove(id);
    }
  };
  const require = (id: string): QueuedTurn => {
    const turn = turns.get(id);
    if (turn === undefined) throw unknownTurn(id);
    return turn;
  };
  const refuse = (): void => {
    if (isClosed) throw queueClosed();
  };
  for (const turn of kept) if (turn.state === "running") await change({ ...turn, state: "waiting" });

  /** The turns whose rows are being written. */
  const arriving = new Map<string, Promise<QueuedTurn>>();
  const admit = async (turn: NewTurn): Promise<QueuedTurn> => {
    const queued: QueuedTurn = { ...turn, state: "waiting", queuedAt: clock.now() };
    await change(queued);
    return queued;
  };

  return {
    async enqueue(turn) {
      refuse();
      checkTurn(turn);
      const known = await (arriving.get(turn.id) ?? turns.get(turn.id));
      if (known !== undefined) {
        if (turnDigest(known) !== turnDigest(turn)) throw writeConflict(turn.id);
        return turns.get(turn.id) ?? known;
      }
      const { realm } = turn;
      const waiting = [...turns.values()].filter(
        (other) => other.realm === realm && other.state === "waiting",
      );
      if (waiting.length >= maxWaiting) throw queueFull(realm, waiting.length, maxWaiting);
      const arrived = admit(turn).finally(() => arriving.delete(turn.id));
      arriving.set(turn.id, arrived);
      return arrived;
    },
    get: async (id) => turns.get(id),
    list: async (filter = {}) =>
      [...turns.values()].filter((turn) => isListed(turn, filter)).slice(0, filter.limit ?? 100),
    counts: async () => countsOf([...turns.values()], limits),
    async cancel(id) {
      const turn = require(id);
      if (turn.state !== "waiting") return false;
      await change({ ...turn, state: "cancelled" });
      return true;
    },
    async drop(id) {
      const turn = require(id);
      if (!isOver(turn)) throw wrongState(id, turn.state, "over");
      await rows.remove(id);
      turns.delete(id);
    },
    async ended(id, signal) {
      for (;;) {
        signal.throwIfAborted();
        const turn = require(id);
        if (isOver(turn)) return turn;
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            watchers.delete(wake);
            unwatch();
            resolve();
          };
          const unwatch = onAbort(signal, wake);
          watchers.add(wake);
        });
      }
    },
    async limitRealm(realm, limit) {
      await rows.limit(realm, limit);
      if (limit === undefined) limits.delete(realm);
      else limits.set(realm, limit);
      tell();
    },
    async serve(worker): Promise<Serving> {
      refuse();
      if (serving !== undefined) throw alreadyServed();
      serving = new LocalServing(worker, { turns, limits, change });
      serving.look();
      const begun = serving;
      return {
        async drain(ms) {
          const left = await begun.drain(ms, clock);
          serving = undefined;
          return left;
        },
      };
    },
    async close() {
      isClosed = true;
      await serving?.drain(0, clock);
      serving = undefined;
    },
  };
}

function isListed({ state, realm }: QueuedTurn, filter: TurnFilter): boolean {
  const isWanted = filter.states === undefined || filter.states.includes(state);
  return isWanted && (filter.realm === undefined || filter.realm === realm);
}
