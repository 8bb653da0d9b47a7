import type { BasisEvent } from "../../src/events/event-schema.ts";

/** Most characters of events that are held. What is shown is read from them when somebody looks. */
export const MAX_HELD_CHARS: number = 24 * 1024 * 1024;

/** Where a line stands among those of every session. */
interface Arrival {
  readonly session: string;
  readonly seq: number;
  readonly at: number;
}

/** The lines of a log, compact: texts that are parsed when they are looked at. The oldest make room for the newest. */
export class EventStore {
  readonly #limit: number;
  readonly #sessions = new Map<string, Map<number, string>>();
  #arrivals: Arrival[] = [];
  #first = 0;
  #chars = 0;
  #dropped = 0;
  #sorted: readonly Arrival[] | undefined;

  constructor(limit: number = MAX_HELD_CHARS) {
    this.#limit = limit;
  }

  /** How many lines are held. */
  get size(): number {
    return this.#arrivals.length - this.#first;
  }

  /** How many had to make room. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Keeps a line; numbers of a session only grow. */
  add({ session, seq, at }: Arrival, line: string): void {
    const held = this.#sessions.get(session) ?? new Map<number, string>();
    this.#sessions.set(session, held.set(seq, line));
    this.#arrivals.push({ session, seq, at });
    this.#sorted = undefined;
    this.#chars += line.length;
    while (this.#chars > this.#limit && this.size > 1) this.#drop();
  }

  /** The line of one event; undefined when it was never read or had to make room. */
  line(session: string, seq: number): string | undefined {
    return this.#sessions.get(session)?.get(seq);
  }

  /** The event of a number, as far as it is held. */
  event(session: string, seq: number): BasisEvent | undefined {
    const line = this.line(session, seq);
    return line === undefined ? undefined : (JSON.parse(line) as BasisEvent);
  }

  /** The lines by their time, those of one session in their order. */
  *inOrder(count: number = Number.POSITIVE_INFINITY): Iterable<string> {
    for (const { session, seq } of this.#byTime().slice(0, count)) {
      const line = this.line(session, seq);
      if (line !== undefined) yield line;
    }
  }

  /** When the line of a rank was told; ranks count from 0. */
  timeOf(rank: number): number | undefined {
    return this.#byTime()[rank]?.at;
  }

  #byTime(): readonly Arrival[] {
    if (this.#sorted !== undefined) return this.#sorted;
    // A session's own order stands above its clock.
    const latest = new Map<string, number>();
    const placed = this.#arrivals.slice(this.#first).map((arrival) => {
      const at = Math.max(latest.get(arrival.session) ?? Number.NEGATIVE_INFINITY, arrival.at);
      latest.set(arrival.session, at);
      return { ...arrival, at };
    });
    this.#sorted = placed.toSorted((a, b) => a.at - b.at || order(a.session, b.session) || a.seq - b.seq);
    return this.#sorted;
  }

  #drop(): void {
    const { session, seq } = this.#arrivals[this.#first]!;
    this.#first += 1;
    this.#dropped += 1;
    const held = this.#sessions.get(session)!;
    this.#chars -= held.get(seq)?.length ?? 0;
    held.delete(seq);
    if (held.size === 0) this.#sessions.delete(session);
    if (this.#first > 4096 && this.#first > this.#arrivals.length / 2) {
      this.#arrivals = this.#arrivals.slice(this.#first);
      this.#first = 0;
    }
  }
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
