import type { JsonValue } from "@basis/core";
import type { CallOptions, Page, PageRequest } from "./page.ts";

/** Something to tell others, written in the transaction that it tells of. */
export interface NewOutboxEvent {
  /** Unique in the store; a second event with the key is dropped silently, until a collection forgets the first one seven days after it was consumed. */
  readonly key: string;
  readonly kind: string;
  readonly payload: JsonValue;
}

/** An event that waits for its consumer. Stores write `fork.committed`, `fork.seated`, `fork.abandoned` and `session.input` themselves. */
export interface OutboxEvent extends NewOutboxEvent {
  /** Given by the store, which lists events in the order in which they were written. */
  readonly id: string;
  readonly sessionId: string;
  readonly createdAt: number;
}

/** The events that nobody has consumed yet. An event is consumed once, here or by a write's `consumes`. */
export interface Outbox {
  /** In the order of writing. */
  list(
    request?: PageRequest & {
      readonly sessionId?: string | undefined;
      readonly kind?: string | undefined;
    },
  ): Promise<Page<OutboxEvent>>;
  /** True for the one caller that consumed it. */
  consume(eventId: string, options?: CallOptions): Promise<boolean>;
}
