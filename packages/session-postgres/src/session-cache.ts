import type { SessionRecord } from "@mobkit/session";

/** What this process knows of a session's row since it last read or wrote it. */
export interface KnownSession {
  readonly key: number;
  readonly version: number;
  readonly record: SessionRecord;
}

const maxSessions = 1024;

/**
 * Sessions that this process writes to. Never trusted: a write that is decided on one carries its version, and writes
 * nothing when another process has changed the row. The longest unused goes first.
 */
export class SessionCache {
  readonly #known = new Map<string, KnownSession>();

  get(sessionId: string): KnownSession | undefined {
    return this.#known.get(sessionId);
  }

  /** Only what is committed: an older version than the known one is left out. */
  keep(known: KnownSession): void {
    const { id } = known.record;
    if ((this.#known.get(id)?.version ?? -1) > known.version) return;
    this.#known.delete(id);
    this.#known.set(id, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxSessions && oldest !== undefined) this.#known.delete(oldest);
  }

  forget(sessionId: string): void {
    this.#known.delete(sessionId);
  }
}
