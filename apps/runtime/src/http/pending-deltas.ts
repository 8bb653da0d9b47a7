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
  /** How many of them were told before the log was begun to be read. */
  #before = 0;
  #skipped = 0;

  /** Takes what is told, in its order. */
  hear(event: BasisEvent): void {
    if (this.#heard.length >= MAX_PENDING) this.skipAll();
    this.#heard.push(event);
  }

  /** The log is read from here on: every numbered event that was told so far is found in it. */
  begin(): void {
    this.#before = this.#heard.length;
  }

  /** The deltas that were told before a numbered event. */
  before({ session, seq }: BasisEvent): DueDeltas {
    const at = this.#heard.findIndex((heard) => heard.seq === seq && heard.session === session);
    if (at === -1) return NOTHING;
    const due = this.#due(this.#heard.slice(0, at));
    this.#drop(at + 1);
    return due;
  }

  /**
   * Those that are due once the log has been read to its end: all before a numbered event that it did not have yet. What
   * was told before one that was sent earlier comes too late.
   */
  rest(): DueDeltas {
    const late = this.#heard.findLastIndex(({ seq }, at) => seq !== undefined && at < this.#before);
    this.#skipped += this.#heard.slice(0, late + 1).filter(({ seq }) => seq === undefined).length;
    this.#drop(late + 1);
    const next = this.#heard.findIndex(({ seq }) => seq !== undefined);
    const ready = next === -1 ? this.#heard.length : next;
    const due = this.#due(this.#heard.slice(0, ready));
    this.#drop(ready);
    return due;
  }

  /** Leaves out what waits; the numbered events among it come from the log. */
  skipAll(): void {
    this.#skipped += this.#heard.filter(({ seq }) => seq === undefined).length;
    this.#drop(this.#heard.length);
  }

  #drop(count: number): void {
    this.#heard = this.#heard.slice(count);
    this.#before = Math.max(0, this.#before - count);
  }

  #due(events: readonly BasisEvent[]): DueDeltas {
    const skipped = this.#skipped;
    this.#skipped = 0;
    return { deltas: events.filter(({ seq }) => seq === undefined), skipped };
  }
}
