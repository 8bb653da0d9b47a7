import { systemClock, type Clock } from "@basis/core";
import { secrets } from "../secrets/secrets.ts";
import {
  rangeAfter,
  whenThere,
  type EventChange,
  type EventLog,
  type EventRange,
  type Later,
  type PendingEvent,
  type PlacedEvent,
  type RewriteOptions,
  type RewrittenEvents,
} from "./event-log.ts";
import type { BasisEvent, EventData, EventType, LiveEventType } from "./event-schema.ts";

/** Where an event belongs: its session, its run and, for a delegated child, the call that started it. */
export interface EventScope {
  readonly session: string;
  readonly run?: string;
  readonly parent?: { readonly session: string; readonly run: string; readonly call_id: string };
}

/** Written out, since a spread for each event would cost more than keeping it. */
function pendingEvent(
  { session, run, parent }: EventScope,
  { ts, type, data }: Pick<PendingEvent, "ts" | "type" | "data">,
): PendingEvent {
  if (parent !== undefined) return { v: 1, ts, session, ...(run && { run }), parent, type, data };
  return run === undefined ? { v: 1, ts, session, type, data } : { v: 1, ts, session, run, type, data };
}

/** Hears every event in order. */
export type EventListener = (event: BasisEvent) => void;

/** How an emitter writes. */
export interface EmitterOptions {
  readonly clock?: Clock | undefined;
  /** How long the first event of a batch waits for others. Default 0: to the end of the event loop's turn. */
  readonly gatherMs?: number;
}

const live: ReadonlySet<EventType> = new Set<LiveEventType>([
  "assistant_delta",
  "assistant_reasoning_delta",
  "tool_progress",
]);

/** How soon a log behind a connection is asked again, once it has refused a batch. */
const RETRY_MS = 1000;

/**
 * Takes events in, writes them in batches, one at a time, and tells the listeners only of what is written.
 * A batch ends with the event loop's turn, so that a busy run costs one transaction a turn; a log that answers later
 * gets the next one when it has answered. What the log refuses is kept and written with the next batch; a run does not
 * fail for it, since the log can be completed from the transcript.
 */
export class EventEmitter {
  readonly #log: EventLog;
  readonly #clock: Clock;
  readonly #gatherMs: number;
  readonly #listeners = new Set<EventListener>();
  #queue: PendingEvent[] = [];
  #unschedule: (() => void) | undefined;
  /** The batch that is on its way; answers what it was refused with. */
  #writing: Promise<Refusal | undefined> | undefined;
  #closed = false;
  #now = Number.NaN;
  #nowText = "";

  constructor(log: EventLog, { clock = systemClock, gatherMs = 0 }: EmitterOptions = {}) {
    this.#log = log;
    this.#clock = clock;
    this.#gatherMs = gatherMs;
  }

  /** Adds a listener; the answer removes it. What it throws reaches nobody: it must not end a run. */
  listen(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Queues one event, without the secrets in it; after `close` it is dropped. */
  emit<T extends EventType>(scope: EventScope, type: T, data: EventData<T>): void {
    if (this.#closed) return;
    this.#queue.push(pendingEvent(scope, { ts: this.#timestamp(), type, data: secrets.redactJson(data) }));
    if (this.#writing === undefined && this.#unschedule === undefined) this.#schedule(this.#gatherMs);
  }

  /** The time as text; many events fall into one millisecond. */
  #timestamp(): string {
    const now = this.#clock.now();
    if (now !== this.#now) {
      this.#now = now;
      this.#nowText = new Date(now).toISOString();
    }
    return this.#nowText;
  }

  /** Writes and delivers what is queued; false when the log refused it for now. */
  flush(): Later<boolean> {
    return whenThere(this.#writeAll(), (refusal) => refusal === undefined);
  }

  /** Writes events of another log, as they were told there. */
  take(events: readonly PendingEvent[]): Later<readonly BasisEvent[]> {
    return this.#log.append(events);
  }

  /** The stored events of a session, in order. */
  read(session: string, options?: { readonly after?: number }): EventRange {
    return rangeAfter(this.flush(), () => this.#log.read(session, options));
  }

  /** The stored events of a session, the newest first. */
  readBack(session: string): EventRange {
    return rangeAfter(this.flush(), () => this.#log.readBack(session));
  }

  /** The session whose log names a run; undefined when none does. */
  sessionOf(run: string): Later<string | undefined> {
    return whenThere(this.flush(), () => this.#log.sessionOf(run));
  }

  /** The stored events of every session behind a place, in the order in which they were written. */
  readAll(after: number): EventRange<PlacedEvent> {
    return rangeAfter(this.flush(), () => this.#log.readAll(after));
  }

  /** The last place that is taken; 0 in an empty log. */
  lastPlace(): Later<number> {
    return whenThere(this.flush(), () => this.#log.lastPlace());
  }

  /** What stands at a place. */
  at(place: number): Later<BasisEvent | undefined> {
    return this.#log.at(place);
  }

  /** Deletes the events of sessions that are gone. */
  forget(sessions: readonly string[]): Later<void> {
    this.#queue = this.#queue.filter(({ session }) => !sessions.includes(session));
    return whenThere(this.#writing, () => this.#log.forget(sessions));
  }

  /** Rewrites the stored events; see `EventLog`. */
  rewrite(texts: readonly string[], change: EventChange, options?: RewriteOptions): Later<RewrittenEvents> {
    return whenThere(this.flush(), () => this.#log.rewrite(texts, change, options));
  }

  /** See `EventLog`. */
  purge(): Later<boolean> {
    return this.#log.purge();
  }

  /** Flushes and closes the log. Throws what the log refused the last events with. */
  close(): Later<void> {
    if (this.#closed) return;
    return whenThere(this.#writeAll(), (refusal) => {
      this.#closed = true;
      this.#cancelSchedule();
      this.#listeners.clear();
      return whenThere(this.#log.close(), () => {
        if (refusal !== undefined) throw refusal.error;
      });
    });
  }

  #schedule(ms: number): void {
    this.#unschedule =
      ms === 0
        ? stopBy(clearImmediate, setImmediate(this.#writeLater))
        : stopBy(clearTimeout, setTimeout(this.#writeLater, ms));
  }

  readonly #writeLater = (): void => {
    this.#unschedule = undefined;
    void this.#writeBatch();
  };

  #cancelSchedule(): void {
    this.#unschedule?.();
    this.#unschedule = undefined;
  }

  /** Until nothing is queued or a batch was refused. */
  #writeAll(): Later<Refusal | undefined> {
    const written = this.#writing ?? this.#writeBatch();
    if (!(written instanceof Promise)) return written;
    return written.then((refusal) =>
      refusal !== undefined || this.#queue.length === 0 ? refusal : this.#writeAll(),
    );
  }

  #writeBatch(): Later<Refusal | undefined> {
    this.#cancelSchedule();
    const batch = this.#queue;
    if (batch.length === 0 || this.#closed) return undefined;
    this.#queue = [];
    const kept = batch.filter((event) => !live.has(event.type));
    const refuse = (error: unknown): Refusal => {
      this.#queue = [...kept, ...this.#queue];
      return { error };
    };
    try {
      const stored = kept.length === 0 ? [] : this.#log.append(kept);
      if (stored instanceof Promise)
        return this.#await(stored.then((events) => this.#deliver(batch, events)).catch(refuse));
      this.#deliver(batch, stored);
      return undefined;
    } catch (error) {
      return refuse(error);
    }
  }

  /** What was refused is tried again after a while, whether or not anything is emitted meanwhile. */
  #await(written: Promise<Refusal | undefined>): Promise<Refusal | undefined> {
    this.#writing = written.then((refusal) => {
      this.#writing = undefined;
      if (this.#queue.length > 0 && !this.#closed)
        this.#schedule(refusal === undefined ? this.#gatherMs : RETRY_MS);
      return refusal;
    });
    return this.#writing;
  }

  #deliver(batch: readonly PendingEvent[], stored: readonly BasisEvent[]): undefined {
    let next = 0;
    for (const event of batch) {
      const ready = live.has(event.type) ? (event as BasisEvent) : stored[next++]!;
      for (const listener of this.#listeners) {
        try {
          listener(ready);
        } catch {
          // whoever listens answers for itself
        }
      }
    }
  }
}

/** What the log refused a batch with. */
interface Refusal {
  readonly error: unknown;
}

/** Not written where it is kept: V8 puts a function that is assigned to a member at once among the old, with all it reaches. */
function stopBy<Handle>(clear: (handle: Handle) => void, handle: Handle): () => void {
  return () => clear(handle);
}
