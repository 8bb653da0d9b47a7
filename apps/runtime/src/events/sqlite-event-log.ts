import { chmodSync, existsSync, writeFileSync } from "node:fs";
import type { SqlStatement, SqliteConnection, SqliteDriver } from "@mobkit/session-sqlite";
import type { EventChange, PendingEvent, PlacedEvent, RewriteOptions, RewrittenEvents } from "./event-log.ts";
import type { BasisEvent } from "./event-schema.ts";
import { namingFile } from "./event-log-error.ts";
import { rewriteEvents } from "./rewrite-events.ts";
import type { SyncEventLog } from "./sync-event-log.ts";

const PAGE = 500;
/** Whoever looks at the beginning of a log alone reads no more. */
const FIRST_PAGE = 16;
const PAGE_BACK = 50;

/**
 * The event log in a SQLite file of its own, written without waiting for the disk (WAL, NORMAL): what a power cut takes
 * from its end is completed from the transcript. Readers in other processes see what is written. A batch whose
 * commit did not answer is recognised when it is given again, and not written twice. Other processes are waited for at most
 * `busyTimeoutMs`.
 */
export function openSqliteEventLog(
  driver: SqliteDriver,
  path: string,
  busyTimeoutMs: number = 5000,
): SyncEventLog {
  if (!existsSync(path)) writeFileSync(path, "", { mode: 0o600, flag: "a" });
  chmodSync(path, 0o600);
  const db = driver.open(path);
  db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;`);
  db.exec(`CREATE TABLE IF NOT EXISTS event ${columns}`);
  return new SqliteEventLog(namingFile(db, path));
}

const columns =
  "(session TEXT NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (session, seq)) STRICT";

/** Puts a copy in the table's place, every event at the place where it was. */
function copyTable(db: SqliteConnection): void {
  db.exec(`CREATE TABLE event_copy ${columns}`);
  db.exec(
    "INSERT INTO event_copy (rowid, session, seq, body) SELECT rowid, session, seq, body FROM event ORDER BY rowid",
  );
  db.exec("DROP TABLE event");
  db.exec("ALTER TABLE event_copy RENAME TO event");
}

/** An event beside what it was stored as. */
interface NumberedEvent {
  readonly event: PendingEvent;
  readonly numbered: BasisEvent;
}

class SqliteEventLog implements SyncEventLog {
  readonly #db: SqliteConnection;
  readonly #last: SqlStatement;
  readonly #insert: SqlStatement;
  readonly #one: SqlStatement;
  readonly #page: SqlStatement;
  readonly #pageBack: SqlStatement;
  readonly #pageOfAll: SqlStatement;
  readonly #lastPlace: SqlStatement;
  readonly #at: SqlStatement;
  readonly #delete: SqlStatement;
  /** The batch whose commit did not answer. */
  #doubtful: readonly NumberedEvent[] = [];

  constructor(db: SqliteConnection) {
    const rows = "SELECT body FROM event WHERE session = ?";
    this.#db = db;
    this.#last = db.prepare("SELECT max(seq) AS seq FROM event WHERE session = ?");
    this.#insert = db.prepare("INSERT INTO event (session, seq, body) VALUES (?, ?, ?)");
    this.#one = db.prepare(`${rows} AND seq = ?`);
    this.#page = db.prepare(`${rows} AND seq > ? ORDER BY seq LIMIT ?`);
    this.#pageBack = db.prepare(`${rows} AND seq < ? ORDER BY seq DESC LIMIT ${PAGE_BACK}`);
    this.#pageOfAll = db.prepare(
      `SELECT rowid AS place, body FROM event WHERE rowid > ? ORDER BY rowid LIMIT ${PAGE}`,
    );
    this.#lastPlace = db.prepare("SELECT max(rowid) AS place FROM event");
    this.#at = db.prepare("SELECT body FROM event WHERE rowid = ?");
    this.#delete = db.prepare("DELETE FROM event WHERE session = ?");
  }

  append(events: readonly PendingEvent[]): readonly BasisEvent[] {
    const kept = this.#keptOf(events);
    const added = inTransaction(this.#db, () => {
      const written = this.#write(events.slice(kept.length));
      this.#doubtful = [...kept, ...written];
      return written;
    });
    this.#doubtful = [];
    return [...kept, ...added].map(({ numbered }) => numbered);
  }

  *read(session: string, { after = 0 }: { readonly after?: number } = {}): Iterable<BasisEvent> {
    for (let [from, most] = [after, FIRST_PAGE]; ; most = PAGE) {
      const events = this.#page.all(session, from, most).map(eventOf);
      yield* events;
      if (events.length < most) return;
      from = events.at(-1)!.seq!;
    }
  }

  *readBack(session: string): Iterable<BasisEvent> {
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const events = eventsOf(this.#pageBack, session, before);
      yield* events;
      if (events.length < PAGE_BACK) return;
      before = events.at(-1)!.seq!;
    }
  }

  /** From the newest on, since it is a recent run that is asked about. A run's id stands near an event's beginning. */
  sessionOf(run: string): string | undefined {
    const found = this.#db
      .prepare(
        "SELECT session FROM event WHERE instr(substr(body, 1, 512), ?) > 0 AND json_extract(body, '$.run') = ? ORDER BY rowid DESC LIMIT 1",
      )
      .get(`"run":${JSON.stringify(run)}`, run);
    return found === undefined ? undefined : String(found["session"]);
  }

  *readAll(after: number): Iterable<PlacedEvent> {
    for (let from = after; ;) {
      const rows = this.#pageOfAll.all(from);
      for (const row of rows) yield { place: Number(row["place"]), event: eventOf(row) };
      if (rows.length < PAGE) return;
      from = Number(rows.at(-1)!["place"]);
    }
  }

  lastPlace(): number {
    return Number(this.#lastPlace.get()?.["place"] ?? 0);
  }

  at(place: number): BasisEvent | undefined {
    const row = this.#at.get(place);
    return row && eventOf(row);
  }

  /** What is deleted is overwritten, so that it can't be read out of the file's free room. */
  forget(sessions: readonly string[]): void {
    this.#overwriting(() => sessions.forEach((session) => this.#delete.run(session)));
  }

  /** In one transaction: a writer beside it waits as for any other. */
  rewrite(
    texts: readonly string[],
    change: EventChange,
    { dryRun = false }: RewriteOptions = {},
  ): RewrittenEvents {
    if (dryRun) return rewriteEvents(this.#db, texts, { change, write: false });
    return this.#overwriting(() => rewriteEvents(this.#db, texts, { change, write: true }));
  }

  /** The table is written anew, since pages that were split before may hold copies of what was on them. */
  purge(): boolean {
    try {
      this.#overwriting(() => copyTable(this.#db));
      return this.#db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;
    } catch {
      return false;
    }
  }

  close(): void {
    this.#db.close();
  }

  #overwriting<T>(work: () => T): T {
    this.#db.exec("PRAGMA secure_delete = ON");
    try {
      return inTransaction(this.#db, work);
    } finally {
      this.#db.exec("PRAGMA secure_delete = OFF");
    }
  }

  #write(events: readonly PendingEvent[]): readonly NumberedEvent[] {
    const next = new Map<string, number>();
    return events.map((event) => {
      const { v, ...rest } = event;
      const { session } = event;
      const seq = next.get(session) ?? Number(this.#last.get(session)?.["seq"] ?? 0) + 1;
      next.set(session, seq + 1);
      const numbered = { v, seq, ...rest } as BasisEvent;
      this.#insert.run(session, seq, JSON.stringify(numbered));
      return { event, numbered };
    });
  }

  /** The events at the beginning that an earlier try has written after all. */
  #keptOf(events: readonly PendingEvent[]): readonly NumberedEvent[] {
    const stands = this.#doubtful.every(
      ({ event, numbered }, index) =>
        event === events[index] &&
        this.#one.get(event.session, numbered.seq!)?.["body"] === JSON.stringify(numbered),
    );
    return stands ? this.#doubtful : [];
  }
}

function eventsOf(page: SqlStatement, session: string, bound: number): readonly BasisEvent[] {
  return page.all(session, bound).map(eventOf);
}

function eventOf(row: Readonly<Record<string, unknown>>): BasisEvent {
  return JSON.parse(String(row["body"])) as BasisEvent;
}

function inTransaction<T>(db: SqliteConnection, work: () => T): T {
  db.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    undo(db);
    throw error;
  }
}

/** A transaction that the file itself has ended needs no rollback. */
function undo(db: SqliteConnection): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // what broke it is told already
  }
}
