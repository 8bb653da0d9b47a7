import type { BasisEvent, EventData, EventType, LiveEventType } from "./event-schema.ts";

/** Where an event belongs: its session, its run and, for a delegated child, the call that started it. */
export interface EventScope {
  readonly session: string;
  readonly run?: string;
  readonly parent?: { readonly session: string; readonly run: string; readonly call_id: string };
}

/** The stored kinds: every event but the live deltas. */
export type StoredEventType = Exclude<EventType, LiveEventType>;

/** An event that has no number yet. */
export type PendingEvent = Omit<BasisEvent, "seq">;

/** Keeps events. `append` numbers them, makes them durable in the log's own mode and returns them as kept. */
export interface EventLog {
  append(events: readonly PendingEvent[]): readonly BasisEvent[];
  read(session: string, options?: { readonly after?: number }): Iterable<BasisEvent>;
  close(): void;
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
 * A batch ends with the event loop's turn, so that a busy run costs one transaction a turn.
 */
export class EventEmitter {
  readonly #log: EventLog;
  readonly #listeners = new Set<EventListener>();
  #queue: PendingEvent[] = [];
  #scheduled: ReturnType<typeof setImmediate> | undefined;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Adds a listener; the answer removes it. */
  listen(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Queues one event. */
  emit<T extends EventType>(scope: EventScope, type: T, data: EventData<T>): void {
    this.#queue.push({ v: 1, ts: new Date().toISOString(), ...scope, type, data });
    this.#scheduled ??= setImmediate(() => this.flush());
  }

  /** Writes and delivers what is queued. */
  flush(): void {
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    const batch = this.#queue;
    if (batch.length === 0) return;
    this.#queue = [];
    const stored = this.#log.append(batch.filter((event) => !live.has(event.type)));
    let next = 0;
    for (const event of batch) {
      const ready = live.has(event.type) ? (event as BasisEvent) : stored[next++]!;
      for (const listener of this.#listeners) listener(ready);
    }
  }

  /** The stored events of a session, in order. */
  read(session: string, options?: { readonly after?: number }): Iterable<BasisEvent> {
    this.flush();
    return this.#log.read(session, options);
  }

  /** Flushes and closes the log. */
  close(): void {
    this.flush();
    this.#listeners.clear();
    this.#log.close();
  }
}

/** An event log in memory, for runs that are not kept. */
export function memoryEventLog(): EventLog {
  const sessions = new Map<string, BasisEvent[]>();
  return {
    append(events) {
      return events.map((event) => {
        const kept = sessions.get(event.session) ?? [];
        sessions.set(event.session, kept);
        const numbered = { ...event, seq: kept.length + 1 } as BasisEvent;
        kept.push(numbered);
        return numbered;
      });
    },
    *read(session, { after = 0 } = {}) {
      yield* (sessions.get(session) ?? []).slice(after);
    },
    close: () => undefined,
  };
}
