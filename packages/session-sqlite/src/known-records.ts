import type { ForkOperation, SessionRecord } from "@mobkit/session";
import type { SqliteConnection } from "./driver.ts";

/** A session as stored: its number inside the file and its record. */
export interface StoredSession {
  readonly key: number;
  readonly record: SessionRecord;
}

/** Where a session's own rows go on: its length before them, and the number of the first. */
export interface SpanEnd {
  readonly key: number;
  readonly len: number;
  readonly nextSeq: number;
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
  readonly #ends = new Map<number, SpanEnd>();
  #version: unknown;
  #writing = false;
  #shared = false;

  /** What is known is of this handle from now on. What a host writes over one of its own changes no `data_version`. */
  of<Handle extends Pick<SqliteConnection, "shared">>(handle: Handle): Handle {
    this.#shared = handle.shared === true;
    return handle;
  }

  /**
   * A write transaction has begun; SQLite's `data_version` changes with the commits of other connections. Answers whether
   * somebody else may have written since the one before.
   */
  begin(version: unknown): boolean {
    const isChanged = this.#shared || version !== this.#version;
    if (isChanged) this.forget();
    this.#version = version;
    this.#writing = true;
    return isChanged;
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
    this.#ends.clear();
  }

  session(id: string): StoredSession | undefined {
    return this.#writing ? this.#sessions.get(id) : undefined;
  }

  keepSession(session: StoredSession): void {
    if (this.#writing) keep(this.#sessions, session.record.id, session);
  }

  /**
   * True when the session's last span is known to end there with a row of its own. Numbers are never given twice, so
   * nothing was added, cancelled or copied in between.
   */
  isEnd({ key, len, nextSeq }: SpanEnd): boolean {
    const end = this.#writing ? this.#ends.get(key) : undefined;
    return end?.len === len && end.nextSeq === nextSeq;
  }

  keepEnd(end: SpanEnd): void {
    if (this.#writing) keep(this.#ends, end.key, end);
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

function keep<Id, Kept>(records: Map<Id, Kept>, id: Id, kept: Kept): void {
  records.delete(id);
  records.set(id, Object.freeze(kept) as Kept);
  const [oldest] = records.keys();
  if (records.size > maxRecords && oldest !== undefined) records.delete(oldest);
}
