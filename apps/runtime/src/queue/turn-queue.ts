import type { RunOutcome } from "@basis/core";
import type { FitParts, NewTurn, QueuedTurn, TurnFit, TurnState } from "./queued-turn.ts";

/** Turns of one realm, by state. */
export interface RealmCounts {
  readonly realm: string;
  readonly waiting: number;
  readonly running: number;
  readonly dead: number;
  /** Most turns of the realm at once, over all workers; absent: no limit. */
  readonly limit?: number;
}

/** What is listed. */
export interface TurnFilter {
  readonly states?: readonly TurnState[];
  readonly realm?: string;
  /** Default 100, 1,000 at most; the oldest first. */
  readonly limit?: number;
  /** How many of the oldest are passed over; without `states` only. Default 0. */
  readonly offset?: number;
}

/** How a claim stands. `first`: nobody had the turn before; `again`: somebody may have begun it; `lost`: another worker has it. */
export type ClaimStanding = "first" | "again" | "lost";

/** A turn that a worker runs now. */
export interface TurnClaim {
  readonly turn: NewTurn;
  /** Aborts with a `HandBackError` when the worker is to let go of the turn as it stands. */
  readonly signal: AbortSignal;
  /** To be asked when its session's lease is held, before anything is done, and while it is waited for. */
  standing(): Promise<ClaimStanding>;
}

/** How a claimed turn ended; `reason` for one that failed. */
export interface TurnEnding {
  readonly outcome: RunOutcome;
  readonly reason?: string;
}

/** Who works on a session: by its lease. `expired`: somebody did, and is gone. */
export type SessionHold = "held" | "free" | "expired";

/** Whoever runs turns. */
export interface QueueWorker {
  readonly name: string;
  /** Most turns at once. */
  readonly concurrency: number;
  readonly fit: TurnFit;
  /** Runs a turn to its end. What it throws makes the turn dead; after a hand-back it throws that error. */
  run(claim: TurnClaim): Promise<TurnEnding>;
  /**
   * Whether somebody works on the session of a turn that the queue takes for running, since `claimedAt`: milliseconds by the clock
   * that sets leases; left out, anybody at any time.
   */
  holdOf(sessionId: string, claimedAt?: number): Promise<SessionHold>;
  /** Told once of each waiting turn that this worker may not run, and which facts differ. */
  misfit(turn: QueuedTurn, differing: readonly (keyof FitParts)[]): void;
}

/** A worker at work. */
export interface Serving {
  /** Claims nothing more and waits for what runs; what still runs after `ms` is handed back. Answers those turns' ids. */
  drain(ms: number): Promise<readonly string[]>;
}

/**
 * A durable queue of turns. In a session one turn runs at a time, in the order of queueing; sessions of a realm and realms
 * take turns. A turn whose worker has died is run by another.
 */
export interface TurnQueue {
  /**
   * Queues a turn; durable when this answers. The same id with the same content answers the turn as it stands.
   * @throws QueueError `queue_full`, `write_conflict`, `invalid_turn`, `queue_closed`, `engine_unavailable`.
   */
  enqueue(turn: NewTurn): Promise<QueuedTurn>;
  get(id: string): Promise<QueuedTurn | undefined>;
  list(filter?: TurnFilter): Promise<readonly QueuedTurn[]>;
  /** The ids of all turns that it knows, or of those in these states, by session. */
  idsBySession(states?: readonly TurnState[]): Promise<ReadonlyMap<string, readonly string[]>>;
  counts(): Promise<readonly RealmCounts[]>;
  /** Takes a turn that waits out of the queue; false when it doesn't wait any more. @throws QueueError `unknown_turn`. */
  cancel(id: string): Promise<boolean>;
  /** Forgets a turn that neither waits nor runs. @throws QueueError `unknown_turn`, `wrong_state`. */
  drop(id: string): Promise<void>;
  /** Until the turn neither waits nor runs. Rejects with the signal's reason. @throws QueueError `unknown_turn`. */
  ended(id: string, signal: AbortSignal): Promise<QueuedTurn>;
  /** Sets how many turns of a realm run at once over all workers; undefined: as many as there is room for. */
  limitRealm(realm: string, limit: number | undefined): Promise<void>;
  /** Begins to run turns. @throws QueueError `already_served`. */
  serve(worker: QueueWorker): Promise<Serving>;
  close(): Promise<void>;
}

/** Which facts differ between what a turn needs and what a worker has. */
export function differingParts(needed: FitParts, own: FitParts): readonly (keyof FitParts)[] {
  const names = Object.keys(needed) as (keyof FitParts)[];
  return names.filter((name) => needed[name] !== own[name]);
}

/** Waiting turns of a realm beyond which no more are taken. */
export const MAX_WAITING = 1000;
