import type { SqliteConnection, SqlStatement } from "@mobkit/session-sqlite";

/** The event log's file failed. Transcripts are not in it. */
export class EventLogError extends Error {
  override readonly name = "EventLogError";

  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`the event log ${path} failed (${reason}); ${remedyOf(reason)}`, { cause });
  }
}

function remedyOf(reason: string): string {
  return /malformed|not a database/.test(reason)
    ? "move it away with its -wal and -shm: transcripts are kept apart, and runs tell what is missing anew"
    : "see that its file system has room and can be written; what is missing is told anew from the transcripts";
}

/** A connection whose failures name the file and what is safe to do. */
export function namingFile(db: SqliteConnection, path: string): SqliteConnection {
  const told = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw new EventLogError(path, error);
    }
  };
  return {
    exec: (sql) => told(() => db.exec(sql)),
    prepare(sql, options) {
      const statement: SqlStatement = told(() => db.prepare(sql, options));
      return {
        run: (...values) => told(() => statement.run(...values)),
        get: (...values) => told(() => statement.get(...values)),
        all: (...values) => told(() => statement.all(...values)),
      };
    },
    close: () => told(() => db.close()),
  };
}
