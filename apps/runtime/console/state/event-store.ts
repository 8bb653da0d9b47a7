import type { BasisEvent } from "../../src/events/event-schema.ts";
import { SecondReading } from "./second-reading.ts";

/** Most characters of lines that a page of a host holds; older ones are read again when somebody looks. */
export const MAX_HELD_CHARS: number = 2 * 1024 * 1024;

/** Where a line stands among those of every session. */
export interface Arrival {
  readonly session: string;
  readonly seq: number;
  readonly at: number;
}

/** The lines of a log, compact: texts that are parsed when they are looked at. The oldest make room for the newest. */
export class EventStore {
  /** What was read again for what is looked at just now. */
  readonly again: SecondReading = new SecondReading();
  #limit: number;
  readonly #sessions = new Map<string, Map<number, string>>();
  #arrivals: Arrival[] = [];
  #first = 0;
  #chars = 0;
  #added = 0;
  /** How many look at the whole of the log just now. */
  holders = 0;
  /** Grows with every line that comes or goes. */
  revision = 0;

  constructor(limit: number = MAX_HELD_CHARS) {
    this.#limit = limit;
  }

  /** How many lines are held. */
  get size(): number {
    return this.#arrivals.length - this.#first;
  }

  /** How many had to make room. */
  get dropped(): number {
    return this.#added - this.size;
  }

  /** Keeps a line. One that comes back after it made room is no new one. */
  add({ session, seq, at }: Arrival, line: string, isBack: boolean = false): void {
    const held = this.#sessions.get(session) ?? new Map<number, string>();
    if (held.has(seq)) return;
    this.#sessions.set(session, held.set(seq, line));
    this.#arrivals.push({ session, seq, at });
    this.revision += 1;
    if (!isBack) this.#added += 1;
    this.#chars += line.length;
    this.#makeRoom();
  }

  /** Where the lines that are held stand, those first that make room next. */
  get arrivals(): readonly Arrival[] {
    return this.#arrivals.slice(this.#first);
  }

  /** Holds so many characters from here on. What is over makes room in this order of all that are held. */
  resize(limit: number, order: readonly Arrival[]): void {
    this.#limit = limit;
    this.#arrivals = [...order];
    this.#first = 0;
    this.#makeRoom();
  }

  /** The line of one event; undefined when it was never read or had to make room. */
  line(session: string, seq: number): string | undefined {
    return this.#sessions.get(session)?.get(seq);
  }

  /** The event of a number, as far as it is held; one that is not is noted as looked for. */
  event(session: string, seq: number): BasisEvent | undefined {
    const line = this.line(session, seq) ?? this.again.line(session, seq);
    return line === undefined ? undefined : (JSON.parse(line) as BasisEvent);
  }

  #makeRoom(): void {
    while (this.#chars > this.#limit && this.size > 1) this.#drop();
  }

  #drop(): void {
    const { session, seq } = this.#arrivals[this.#first]!;
    this.#first += 1;
    this.revision += 1;
    const held = this.#sessions.get(session)!;
    this.#chars -= held.get(seq)?.length ?? 0;
    held.delete(seq);
    if (held.size === 0) this.#sessions.delete(session);
    if (this.#first > 1024 && this.#first > this.#arrivals.length / 2) {
      this.#arrivals = this.#arrivals.slice(this.#first);
      this.#first = 0;
    }
  }
}
