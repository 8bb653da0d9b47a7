/** Most characters that are read again for one look. */
const MAX_CHARS = 16 * 1024 * 1024;

/** Lines that made room and are looked at: which are wanted, and those that were read for it. Gone with the look. */
export class SecondReading {
  readonly #lines = new Map<string, string>();
  /** Each number once: what a host does not give is not asked for without end. */
  readonly #wanted = new Map<string, Set<number>>();
  readonly #asked = new Set<string>();
  #chars = 0;

  /** The line of an event; one that is not there becomes wanted. */
  line(session: string, seq: number): string | undefined {
    const line = this.#lines.get(`${seq} ${session}`);
    if (line === undefined) this.#want(session, seq);
    return line;
  }

  /** How many lines were read. */
  get size(): number {
    return this.#lines.size;
  }

  keep(session: string, seq: number, line: string): void {
    if (this.#chars + line.length > MAX_CHARS) return;
    this.#chars += line.length;
    this.#lines.set(`${seq} ${session}`, line);
  }

  /** The numbers that became wanted since the last call, by their sessions. */
  takeWanted(): ReadonlyMap<string, ReadonlySet<number>> {
    const wanted = new Map(this.#wanted);
    this.#wanted.clear();
    return wanted;
  }

  /** Something else is looked at, or the same anew. */
  clear(): void {
    this.#lines.clear();
    this.#wanted.clear();
    this.#asked.clear();
    this.#chars = 0;
  }

  #want(session: string, seq: number): void {
    const key = `${seq} ${session}`;
    if (this.#asked.has(key)) return;
    this.#asked.add(key);
    this.#wanted.set(session, (this.#wanted.get(session) ?? new Set<number>()).add(seq));
  }
}
