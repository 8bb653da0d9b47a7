import { chmodSync, existsSync, writeFileSync } from "node:fs";
import type { SqliteConnection, SqliteDriver } from "@mobkit/session-sqlite";
import type { EventLog } from "./event-emitter.ts";
import type { BasisEvent } from "./event-schema.ts";

const PAGE = 500;
const PAGE_BACK = 50;

/**
 * The event log in a SQLite file of its own, written without waiting for the disk (WAL, NORMAL): what a power cut takes
 * from its end is completed from the transcript. Readers in other processes see what is written.
 */
export function openSqliteEventLog(driver: SqliteDriver, path: string): EventLog {
  if (!existsSync(path)) writeFileSync(path, "", { mode: 0o600, flag: "a" });
  chmodSync(path, 0o600);
  const db = driver.open(path);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;");
  db.exec(
    "CREATE TABLE IF NOT EXISTS event (session TEXT NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (session, seq)) STRICT;",
  );
  const last = db.prepare("SELECT max(seq) AS seq FROM event WHERE session = ?");
  const insert = db.prepare("INSERT INTO event (session, seq, body) VALUES (?, ?, ?)");
  const page = db.prepare("SELECT body FROM event WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?");
  const pageBack = db.prepare(
    "SELECT body FROM event WHERE session = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
  );
  return {
    append(events) {
      const next = new Map<string, number>();
      return inTransaction(db, () =>
        events.map((event) => {
          const seq = next.get(event.session) ?? Number(last.get(event.session)?.["seq"] ?? 0) + 1;
          next.set(event.session, seq + 1);
          const { v, ...rest } = event;
          const numbered = { v, seq, ...rest } as BasisEvent;
          insert.run(event.session, seq, JSON.stringify(numbered));
          return numbered;
        }),
      );
    },
    *read(session, { after = 0 } = {}) {
      for (let from = after; ;) {
        const rows = page.all(session, from, PAGE);
        for (const row of rows) yield JSON.parse(String(row["body"])) as BasisEvent;
        if (rows.length < PAGE) return;
        from += rows.length;
      }
    },
    *readBack(session) {
      for (let before = Number.MAX_SAFE_INTEGER; ;) {
        const rows = pageBack.all(session, before, PAGE_BACK);
        const events = rows.map((row) => JSON.parse(String(row["body"])) as BasisEvent);
        yield* events;
        if (rows.length < PAGE_BACK) return;
        before = events.at(-1)!.seq!;
      }
    },
    close: () => db.close(),
  };
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
