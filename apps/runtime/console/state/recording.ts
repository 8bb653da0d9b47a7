import { EventStore } from "./event-store.ts";
import { fold } from "./fold.ts";
import { emptyModel, type Model } from "./model.ts";
import { readLine, readValue, type Told } from "./told-event.ts";

/** A log as far as it was read: what it tells, and its lines. The same for live events, a file and an export. */
export class Recording {
  readonly model: Model = emptyModel();
  readonly store: EventStore;
  /** Grows with everything that is taken in. */
  version = 0;

  constructor(store: EventStore = new EventStore()) {
    this.store = store;
  }

  /** Takes a line of a log; an empty one is none. */
  line(text: string): void {
    if (text.trim() !== "") this.#take(readLine(text), () => text);
  }

  /** Takes an event that was parsed already; answers what it was taken for. */
  value(value: unknown): Told {
    const told = readValue(value);
    this.#take(told, () => JSON.stringify(value));
    return told;
  }

  /** Takes a whole log. */
  text(log: string): void {
    for (let from = 0; from < log.length;) {
      const end = log.indexOf("\n", from);
      this.line(log.slice(from, end === -1 ? log.length : end));
      if (end === -1) return;
      from = end + 1;
    }
  }

  #take(told: Told, line: () => string): void {
    if (!fold(this.model, told)) return;
    this.version += 1;
    if (told.kind === "broken" || told.event.seq === undefined) return;
    const { session, seq, ts } = told.event;
    this.store.add({ session, seq, at: Date.parse(ts) }, line());
  }
}

/** What the first events of a recording tell, by their time: the log as it was then. */
export function asOf({ store }: Recording, count: number): Model {
  const model = emptyModel();
  for (const line of store.inOrder(count)) fold(model, readLine(line));
  return model;
}
