import { BasisError } from "@basis/core";

/** The facts of each error of the queue. */
export interface QueueErrorDetails {
  /** The realm has as many waiting turns as it may. */
  readonly queue_full: { readonly realm: string; readonly waiting: number; readonly maxWaiting: number };
  /** The id was given before, to another turn. */
  readonly write_conflict: { readonly id: string };
  readonly unknown_turn: { readonly id: string };
  /** The turn is in a state in which this cannot be done. */
  readonly wrong_state: { readonly id: string; readonly state: string };
  readonly invalid_turn: { readonly reason: string };
  /** Digests of the typed answer as it was queued, and as it is read. */
  readonly output_mismatch: { readonly queued: string; readonly found: string };
  /** The store has no such blob. */
  readonly image_gone: { readonly digest: string };
  /** This process serves the queue already. */
  readonly already_served: Record<string, never>;
  /** The engine's package is not installed. */
  readonly engine_missing: { readonly package: string };
  /** The engine's package is of a release that this one doesn't know. */
  readonly engine_unfit: { readonly package: string; readonly found: string };
  /** The engine's database refuses, or is a version that this release doesn't know. */
  readonly engine_unavailable: { readonly reason: string };
  /** The engine cannot work in its schema: rights are missing, or it is another program's. */
  readonly engine_refused: { readonly reason: string; readonly remedy: string };
  readonly queue_closed: Record<string, never>;
}

/** What went wrong in a queue of turns. */
export type QueueErrorCode = keyof QueueErrorDetails;

/** A queue of turns refused or could not do what was asked. */
export class QueueError<C extends QueueErrorCode = QueueErrorCode> extends BasisError<
  C,
  QueueErrorDetails[C]
> {
  override readonly name = "QueueError";
}

/** @see QueueErrorDetails.unknown_turn */
export function unknownTurn(id: string): QueueError<"unknown_turn"> {
  return new QueueError("unknown_turn", `the queue knows no turn ${JSON.stringify(id)}`, { details: { id } });
}

/** @see QueueErrorDetails.wrong_state */
export function wrongState(id: string, state: string, wanted: string): QueueError<"wrong_state"> {
  return new QueueError("wrong_state", `turn ${id} is ${state}; only one that is ${wanted} can be`, {
    details: { id, state },
  });
}

/** @see QueueErrorDetails.write_conflict */
export function writeConflict(id: string): QueueError<"write_conflict"> {
  return new QueueError("write_conflict", `another turn was queued under the id ${id}: mint a new one`, {
    details: { id },
  });
}

/** @see QueueErrorDetails.queue_closed */
export function queueClosed(): QueueError<"queue_closed"> {
  return new QueueError("queue_closed", "the queue is closed", { details: {} });
}

/** @see QueueErrorDetails.already_served */
export function alreadyServed(): QueueError<"already_served"> {
  return new QueueError(
    "already_served",
    "this process serves the queue already: let one worker run more turns at once",
    {
      details: {},
    },
  );
}

/** @see QueueErrorDetails.engine_refused */
export function engineRefused(reason: string, remedy: string): QueueError<"engine_refused"> {
  return new QueueError("engine_refused", reason, { details: { reason, remedy } });
}
