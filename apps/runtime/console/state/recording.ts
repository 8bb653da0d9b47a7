import { EventStore } from "./event-store.ts";
import { fold } from "./fold.ts";
import { emptyModel, type Model } from "./model.ts";
import { readLine, readValue, type Told } from "./told-event.ts";

/** A log as far as it was read: what it tells, and its lines. The same for live events, a file and an export. */
export class Recording {
  readonly model: Model;
  readonly store: EventStore;
  /** Grows with everything that is taken in. */
  version = 0;

  constructor(store: EventStore = new EventStore(), model: Model = emptyModel()) {
    this.store = store;
    this.model = model;
  }

  /** Takes a line of a log, by its number where it has one; an empty one is none. */
  line(text: string, number?: number): void {
    if (text.trim() !== "") this.#take(readLine(text), () => text, number);
  }

  /** Takes an event that was parsed already; answers what it was taken for. */
  value(value: unknown): Told {
    const told = readValue(value);
    this.#take(told, () => JSON.stringify(value));
    return told;
  }

  /** Takes a whole log. */
  text(log: string): void {
    for (let from = 0, number = 1; from < log.length; number += 1) {
      const end = log.indexOf("\n", from);
      this.line(log.slice(from, end === -1 ? log.length : end), number);
      if (end === -1) return;
      from = end + 1;
    }
  }

  #take(told: Told, text: () => string, line?: number): void {
    if (!this.#fold(told, line)) return;
    this.version += 1;
    if (told.kind === "broken" || told.event.seq === undefined) return;
    const { session, seq, ts } = told.event;
    this.store.add({ session, seq, at: Date.parse(ts) }, text());
  }

  /** An event that this page fails at is told like one that cannot be read: the rest is worth to be seen. */
  #fold(told: Told, line: number | undefined): boolean {
    try {
      return fold(this.model, told.kind === "broken" ? { ...told, line } : told);
    } catch (error) {
      const problem = `makes this page fail: ${(error as Error).message}`;
      return fold(this.model, { kind: "broken", problem, line });
    }
  }
}
