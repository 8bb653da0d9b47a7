import type { BasisEvent } from "./event-schema.ts";

/** An event that has no number yet. */
export type PendingEvent = Omit<BasisEvent, "seq">;

/** An event beside its place among those of every session: from 1, growing with each event, of whichever process. */
export interface PlacedEvent {
  readonly place: number;
  readonly event: BasisEvent;
}

/** What a log of this machine answers at once, and one behind a connection later. */
export type Later<T> = T | Promise<T>;

/** Events in an order, read page by page; `for await` takes either. */
export type EventRange<T = BasisEvent> = Iterable<T> | AsyncIterable<T>;

/** Keeps events. `append` numbers them, makes them durable in the log's own mode and returns them as kept. */
export interface EventLog {
  /** A batch whose append failed without saying whether it was kept is recognised when it is given again. */
  append(events: readonly PendingEvent[]): Later<readonly BasisEvent[]>;
  read(session: string, options?: { readonly after?: number }): EventRange;
  /** From the newest to the oldest. */
  readBack(session: string): EventRange;
  /** The session whose log names a run; undefined when none does. */
  sessionOf(run: string): Later<string | undefined>;
  /** Those of every session behind a place, in the order in which they were written. */
  readAll(after: number): EventRange<PlacedEvent>;
  /** The last place that is taken; 0 in an empty log. */
  lastPlace(): Later<number>;
  /** What stands at a place. What was deleted leaves it empty, and at the end of the log to be taken again. */
  at(place: number): Later<BasisEvent | undefined>;
  /** Deletes the events of sessions for ever. */
  forget(sessions: readonly string[]): Later<void>;
  /**
   * Puts what `change` answers in place of every event whose stored JSON has one of the texts; what it answers undefined for
   * stays. Answers how many had one and how many were changed. A dry run changes nothing.
   */
  rewrite(texts: readonly string[], change: EventChange, options?: RewriteOptions): Later<RewrittenEvents>;
  /** Takes what was replaced or deleted out of the log's files; false when somebody reads it or it failed. */
  purge(): Later<boolean>;
  close(): Later<void>;
}

/** What is to stand in place of an event: of the same session, number and type. */
export type EventChange = (event: BasisEvent) => BasisEvent | undefined;

/** How a log is rewritten. */
export interface RewriteOptions {
  readonly dryRun?: boolean;
}

/** How many events a rewriting met. */
export interface RewrittenEvents {
  readonly found: number;
  readonly changed: number;
}

/** Goes on with what is there, at once where it is. */
export function whenThere<T, Result>(value: Later<T>, goOn: (value: T) => Later<Result>): Later<Result> {
  return isLate(value) ? Promise.resolve(value).then(goOn) : goOn(value);
}

/** True for a promise, of whichever kind: a store or log may be anybody's. */
export function isLate<T>(value: Later<T>): value is Promise<T> {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}

/** Does work and, should it fail now or later, what is to be done then. */
export function caught<T>(work: () => Later<T>, failed: (error: unknown) => Later<T>): Later<T> {
  try {
    const answer = work();
    return isLate(answer) ? Promise.resolve(answer).catch(failed) : answer;
  } catch (error) {
    return failed(error);
  }
}

/** A range that begins once something has happened. */
export function rangeAfter<T>(first: Later<unknown>, range: () => EventRange<T>): EventRange<T> {
  return first instanceof Promise ? lateRange(first, range) : range();
}

async function* lateRange<T>(
  first: Promise<unknown>,
  range: () => EventRange<T>,
): AsyncGenerator<T, void, undefined> {
  await first;
  yield* range();
}

/** The number of a session's last event; 0 in an empty log. */
export async function lastSeq(events: Pick<EventLog, "readBack">, session: string): Promise<number> {
  for await (const { seq } of events.readBack(session)) return seq ?? 0;
  return 0;
}
