import type { ForkOperation, SessionRecord } from "@mobkit/session";

/** A session as stored: its number inside the file and its record. */
export interface StoredSession {
  readonly key: number;
  readonly record: SessionRecord;
}

/** Records of each kind at most; the longest unwritten goes first. */
const maxRecords = 256;

/**
 * Records that this connection has written last, so that a write need not read them again. They are answered inside a
 * write transaction alone, where nobody else can change the file, and only while no other connection has committed
 * since. Whatever is rolled back takes all of them with it.
 */
export class KnownRecords {
  readonly #sessions = new Map<string, StoredSession>();
  readonly #operations = new Map<string, ForkOperation<unknown>>();
  #version: unknown;
  #writing = false;

  /** A write transaction has begun; SQLite's `data_version` changes with the commits of other connections. */
  begin(version: unknown): void {
    if (version !== this.#version) this.forget();
    this.#version = version;
    this.#writing = true;
  }

  /** The write transaction is committed. */
  commit(): void {
    this.#writing = false;
  }

  /** The write transaction, if there is one, is rolled back. */
  rollBack(): void {
    if (this.#writing) this.forget();
    this.#writing = false;
  }

  /** Rows were changed, or undone, in another way than record by record. */
  forget(): void {
    this.#sessions.clear();
    this.#operations.clear();
  }

  session(id: string): StoredSession | undefined {
    return this.#writing ? this.#sessions.get(id) : undefined;
  }

  keepSession(session: StoredSession): void {
    if (this.#writing) keep(this.#sessions, session.record.id, session);
  }

  operation(id: string): ForkOperation<unknown> | undefined {
    return this.#writing ? this.#operations.get(id) : undefined;
  }

  /** A final one is kept by nobody: it is hardly asked for again, and may hold a long first message. */
  keepOperation(operation: ForkOperation<unknown>): void {
    if (!this.#writing) return;
    if (operation.state === "committed") keep(this.#operations, operation.id, operation);
    else this.#operations.delete(operation.id);
  }
}

function keep<Kept>(records: Map<string, Kept>, id: string, kept: Kept): void {
  records.delete(id);
  records.set(id, Object.freeze(kept) as Kept);
  const [oldest] = records.keys();
  if (records.size > maxRecords && oldest !== undefined) records.delete(oldest);
}
