import { systemClock, type Clock } from "@basis/core";
import { secrets } from "../secrets/secrets.ts";
import type { BasisEvent, EventData, EventType, LiveEventType } from "./event-schema.ts";

/** Where an event belongs: its session, its run and, for a delegated child, the call that started it. */
export interface EventScope {
  readonly session: string;
  readonly run?: string;
  readonly parent?: { readonly session: string; readonly run: string; readonly call_id: string };
}

/** An event that has no number yet. */
export type PendingEvent = Omit<BasisEvent, "seq">;

/** An event beside its place among those of every session: from 1, growing with each event, of whichever process. */
export interface PlacedEvent {
  readonly place: number;
  readonly event: BasisEvent;
}

/** Keeps events. `append` numbers them, makes them durable in the log's own mode and returns them as kept. */
export interface EventLog {
  append(events: readonly PendingEvent[]): readonly BasisEvent[];
  read(session: string, options?: { readonly after?: number }): Iterable<BasisEvent>;
  /** From the newest to the oldest. */
  readBack(session: string): Iterable<BasisEvent>;
  /** The session whose log names a run; undefined when none does. */
  sessionOf(run: string): string | undefined;
  /** Those of every session behind a place, in the order in which they were written. */
  readAll(after: number): Iterable<PlacedEvent>;
  /** The last place that is taken; 0 in an empty log. */
  lastPlace(): number;
  /** What stands at a place. What was deleted leaves it empty, and at the end of the log to be taken again. */
  at(place: number): BasisEvent | undefined;
  /** Deletes the events of sessions for ever. */
  forget(sessions: readonly string[]): void;
  /**
   * Puts what `change` answers in place of every event whose stored JSON has one of the texts; what it answers undefined for
   * stays. Answers how many had one and how many were changed. A dry run changes nothing.
   */
  rewrite(texts: readonly string[], change: EventChange, options?: RewriteOptions): RewrittenEvents;
  /** Takes what was replaced or deleted out of the log's files; false when somebody reads it or it failed. */
  purge(): boolean;
  close(): void;
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

/** Hears every event in order. */
export type EventListener = (event: BasisEvent) => void;

const live: ReadonlySet<EventType> = new Set<LiveEventType>([
  "assistant_delta",
  "assistant_reasoning_delta",
  "tool_progress",
]);

/**
 * Takes events in, writes them in batches and tells the listeners only of what is written.
 * A batch ends with the event loop's turn, so that a busy run costs one transaction a turn. What the log refuses is
 * kept and written with the next batch; a run does not fail for it, since the log can be completed from the transcript.
 */
export class EventEmitter {
  readonly #log: EventLog;
  readonly #clock: Clock;
  readonly #listeners = new Set<EventListener>();
  #queue: PendingEvent[] = [];
  #scheduled: ReturnType<typeof setImmediate> | undefined;
  #closed = false;
  #now = Number.NaN;
  #nowText = "";

  constructor(log: EventLog, clock: Clock = systemClock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Adds a listener; the answer removes it. What it throws reaches nobody: it must not end a run. */
  listen(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Queues one event, without the secrets in it; after `close` it is dropped. */
  emit<T extends EventType>(scope: EventScope, type: T, data: EventData<T>): void {
    if (this.#closed) return;
    this.#queue.push({ v: 1, ts: this.#timestamp(), ...scope, type, data: secrets.redactJson(data) });
    this.#scheduled ??= setImmediate(() => this.flush());
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
  flush(): boolean {
    return this.#write() === undefined;
  }

  /** The stored events of a session, in order. */
  read(session: string, options?: { readonly after?: number }): Iterable<BasisEvent> {
    this.flush();
    return this.#log.read(session, options);
  }

  /** The stored events of a session, the newest first. */
  readBack(session: string): Iterable<BasisEvent> {
    this.flush();
    return this.#log.readBack(session);
  }

  /** The session whose log names a run; undefined when none does. */
  sessionOf(run: string): string | undefined {
    this.flush();
    return this.#log.sessionOf(run);
  }

  /** The stored events of every session behind a place, in the order in which they were written. */
  readAll(after: number): Iterable<PlacedEvent> {
    this.flush();
    return this.#log.readAll(after);
  }

  /** The last place that is taken; 0 in an empty log. */
  lastPlace(): number {
    this.flush();
    return this.#log.lastPlace();
  }

  /** What stands at a place. */
  at(place: number): BasisEvent | undefined {
    return this.#log.at(place);
  }

  /** Deletes the events of sessions that are gone. */
  forget(sessions: readonly string[]): void {
    this.#queue = this.#queue.filter(({ session }) => !sessions.includes(session));
    this.#log.forget(sessions);
  }

  /** Rewrites the stored events; see `EventLog`. */
  rewrite(texts: readonly string[], change: EventChange, options?: RewriteOptions): RewrittenEvents {
    this.flush();
    return this.#log.rewrite(texts, change, options);
  }

  /** See `EventLog`. */
  purge(): boolean {
    return this.#log.purge();
  }

  /** Flushes and closes the log. Throws what the log refused the last events with. */
  close(): void {
    if (this.#closed) return;
    const refusal = this.#write();
    this.#closed = true;
    this.#listeners.clear();
    this.#log.close();
    if (refusal !== undefined) throw refusal.error;
  }

  #write(): { readonly error: unknown } | undefined {
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    const batch = this.#queue;
    if (batch.length === 0 || this.#closed) return undefined;
    this.#queue = [];
    const kept = batch.filter((event) => !live.has(event.type));
    let stored: readonly BasisEvent[];
    try {
      stored = kept.length === 0 ? [] : this.#log.append(kept);
    } catch (error) {
      this.#queue = kept;
      return { error };
    }
    this.#deliver(batch, stored);
    return undefined;
  }

  #deliver(batch: readonly PendingEvent[], stored: readonly BasisEvent[]): void {
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
