import { untilAborted } from "@basis/core";

/** The kinds of lock in the only order in which they may be taken: a source's lifecycle, then child names. */
const LOCK_ORDER = ["source", "name"] as const;

export type LockKind = (typeof LOCK_ORDER)[number];

/** What one fork holds. */
export interface Reservation {
  /**
   * Waits for every key of a kind, in code-unit order, duplicates once.
   * Rejects with the signal's reason when the wait is given up; keys taken until then stay held until `release`.
   *
   * @throws Error for a kind that does not come after everything held: the order is what excludes deadlock.
   */
  take(kind: LockKind, keys: readonly string[], signal: AbortSignal): Promise<void>;
  /** Lets go of everything; harmless when called again. */
  release(): void;
}

/** The locks of one process. Names are guarded across processes by the store's commit. */
export interface Reservations {
  open(): Reservation;
  /** Keys that are held or waited for. */
  readonly size: number;
}

/** Makes an empty set of locks; waiters are served in the order in which they came. */
export function createReservations(): Reservations {
  const tails = new Map<string, Promise<void>>();
  return {
    open: () => openReservation(tails),
    get size() {
      return tails.size;
    },
  };
}

function openReservation(tails: Map<string, Promise<void>>): Reservation {
  const held: (() => void)[] = [];
  let rank = -1;
  return {
    async take(kind, keys, signal) {
      const wanted = LOCK_ORDER.indexOf(kind);
      if (wanted <= rank) throw new Error(`lock order: ${kind} cannot be taken after ${LOCK_ORDER[rank]}`);
      rank = wanted;
      for (const key of [...new Set(keys)].toSorted(byCodeUnit)) {
        held.push(await acquire(tails, `${kind}\u0000${key}`, signal));
      }
    },
    release() {
      for (const letGo of held.splice(0).toReversed()) letGo();
    },
  };
}

/** Queues behind the key's last holder or waiter. A waiter that gives up passes its turn on. */
async function acquire(
  tails: Map<string, Promise<void>>,
  key: string,
  signal: AbortSignal,
): Promise<() => void> {
  signal.throwIfAborted();
  const turn = tails.get(key);
  let finish: () => void = () => undefined;
  const tail = Promise.all([turn, new Promise<void>((resolve) => (finish = resolve))]).then(() => {
    if (tails.get(key) === tail) tails.delete(key);
  });
  tails.set(key, tail);
  if (turn === undefined) return finish;
  try {
    await untilAborted(signal, () => turn);
    signal.throwIfAborted();
    return finish;
  } catch (error) {
    finish();
    throw error;
  }
}

function byCodeUnit(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
