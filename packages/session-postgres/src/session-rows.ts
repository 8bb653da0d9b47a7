import type { SessionRecord } from "@mobkit/session";
import { integerOf, sessionCells, sessionColumns, sessionOfRow, unknownSession } from "@mobkit/session/rules";
import { plainForm } from "./rows.ts";
import { spansOf, type StoredSpan } from "./spans.ts";
import { nowColumn, statement, type Sql, type SqlRow, type SqlStatement, type SqlValue } from "./sql.ts";

/** A session as stored: its number, the version of its row, its record and its spans, all of one moment. */
export interface StoredSession {
  readonly key: number;
  readonly version: number;
  readonly record: SessionRecord;
  readonly spans: readonly StoredSpan[];
  /** The database's time when it was read. */
  readonly nowMs: number;
}

/** How a session is looked up. */
export type SessionLookup =
  | { readonly id: string }
  | { readonly key: number }
  | { readonly operation: string };

/**
 * `write` keeps everybody else from changing the session's row until the transaction ends; `share` keeps it from being
 * deleted and hinders no append.
 */
export type SessionLock = "write" | "share";

const insertSql = `INSERT INTO session (key, id, ${sessionColumns.join(", ")})
  VALUES ($1, $2, ${sessionColumns.map((_, index) => `$${index + 3}`).join(", ")})`;
const updateSql = `UPDATE session SET version = version + 1, ${sessionColumns
  .map((column, index) => `${column} = $${index + 2}`)
  .join(", ")} WHERE key = $1`;

/** The spans come with the row, in one statement: a lock alone would not keep a source's spans as they were. */
const selectSql: string = `SELECT session.*, ${nowColumn}, (
  SELECT coalesce(json_agg(json_build_array(span.start, span.writer, span.lo, writer.id) ORDER BY span.start), '[]')
  FROM span JOIN session AS writer ON writer.key = span.writer WHERE span.session = session.key) AS spans
  FROM session WHERE `;

const locks: Readonly<Record<SessionLock, string>> = { write: "FOR NO KEY UPDATE", share: "FOR KEY SHARE" };

/** The next session's number. */
export const nextKeySql: string = `SELECT nextval(pg_get_serial_sequence('session', 'key')) AS key, ${nowColumn}`;

/** The session that is looked up, in any state. With a lock it stays as it is read until the transaction ends. */
export async function findSession(
  sql: Sql,
  lookup: SessionLookup,
  lock?: SessionLock,
): Promise<StoredSession | undefined> {
  const [where, value] = conditionOf(lookup);
  const [, rows] = await Promise.all([
    lock && sql.query(`SELECT 1 FROM session WHERE ${where} ${locks[lock]}`, [value]),
    sql.query(selectSql + where, [value]),
  ]);
  return rows[0] && storedSession(rows[0]);
}

/** Sessions by number from `after` on, in any state. */
export async function pageOfSessions(sql: Sql, after: number, limit: number): Promise<StoredSession[]> {
  const rows = await sql.query(`${selectSql} session.key > $1 ORDER BY session.key LIMIT $2`, [after, limit]);
  return rows.map(storedSession);
}

/** The session of an id. @throws SessionError `unknown_session`. */
export async function requireSession(sql: Sql, id: string, lock?: SessionLock): Promise<StoredSession> {
  const found = await findSession(sql, { id }, lock);
  if (found === undefined) throw unknownSession(id);
  return found;
}

function conditionOf(lookup: SessionLookup): readonly [where: string, value: SqlValue] {
  if ("key" in lookup) return ["key = $1", lookup.key];
  if ("operation" in lookup) return ["key = (SELECT session FROM fork_op WHERE id = $1)", lookup.operation];
  return ["id = $1", lookup.id];
}

/** Adds a session under a number of `nextKeySql`. */
export function insertSession(key: number, record: SessionRecord): SqlStatement {
  return statement(insertSql, key, record.id, ...sessionCells(sessionColumns, record, plainForm));
}

/** Puts a record in place of the stored one. */
export function updateSession(key: number, record: SessionRecord): SqlStatement {
  return statement(updateSql, key, ...sessionCells(sessionColumns, record, plainForm));
}

/** A row of the session table, with its spans when they were read, as a frozen record. */
export function storedSession(row: SqlRow): StoredSession {
  const record = sessionOfRow(row, plainForm);
  return {
    key: integerOf(row, "key"),
    version: integerOf(row, "version"),
    record,
    spans: spansOf(row["spans"], record.len),
    nowMs: integerOf(row, "now_ms"),
  };
}
