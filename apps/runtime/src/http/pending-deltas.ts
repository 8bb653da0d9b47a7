import type { BasisEvent } from "../events/event-schema.ts";

/** Most events that are remembered between two looks at the log. */
const MAX_PENDING = 1000;

/** Deltas to send, and how many were left out before them. */
export interface DueDeltas {
  readonly deltas: readonly BasisEvent[];
  readonly skipped: number;
}

const NOTHING: DueDeltas = { deltas: [], skipped: 0 };

/** Live events that wait until the log is read, each in its place among the numbered ones that were told with it. */
export class PendingDeltas {
  #heard: BasisEvent[] = [];
  #skipped = 0;

  /** Takes what is told, in its order. */
  hear(event: BasisEvent): void {
    if (this.#heard.length >= MAX_PENDING) this.skipAll();
    this.#heard.push(event);
  }

  /** The deltas that were told before a numbered event. */
  before({ session, seq }: BasisEvent): DueDeltas {
    const at = this.#heard.findIndex((heard) => heard.seq === seq && heard.session === session);
    if (at === -1) return NOTHING;
    const due = this.#due(this.#heard.slice(0, at));
    this.#heard = this.#heard.slice(at + 1);
    return due;
  }

  /** All that are left, once the log has been read to its end. */
  rest(): DueDeltas {
    const due = this.#due(this.#heard);
    this.#heard = [];
    return due;
  }

  /** Leaves out what waits; the numbered events among it come from the log. */
  skipAll(): void {
    this.#skipped += this.#heard.filter(({ seq }) => seq === undefined).length;
    this.#heard = [];
  }

  #due(events: readonly BasisEvent[]): DueDeltas {
    const skipped = this.#skipped;
    this.#skipped = 0;
    return { deltas: events.filter(({ seq }) => seq === undefined), skipped };
  }
}
