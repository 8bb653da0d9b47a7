import type { SessionRecord, SessionState } from "@mobkit/session";
import { unknownSession } from "@mobkit/session/rules";
import {
  integerOf,
  jsonOf,
  optionalInteger,
  optionalText,
  packFilled,
  packJson,
  packUsage,
  textOf,
  usageOf,
} from "./rows.ts";
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

const columns = [
  "state",
  "member",
  "base_len",
  "len",
  "settled_len",
  "open_calls",
  "next_seq",
  "rev",
  "head_digest",
  "run_turn",
  "queued_inputs",
  "pending_approvals",
  "lease_epoch",
  "lease_owner",
  "lease_expires_at",
  "request_head",
  "own_usage",
  "inherited_usage",
  "parent_id",
  "parent_len",
  "parent_digest",
  "spawned_by",
  "created_at",
  "updated_at",
] as const;

const insertSql = `INSERT INTO session (key, id, ${columns.join(", ")})
  VALUES ($1, $2, ${columns.map((_, index) => `$${index + 3}`).join(", ")})`;
const updateSql = `UPDATE session SET version = version + 1, ${columns
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
  return statement(insertSql, key, record.id, ...valuesOf(record));
}

/** Puts a record in place of the stored one. */
export function updateSession(key: number, record: SessionRecord): SqlStatement {
  return statement(updateSql, key, ...valuesOf(record));
}

/** A row of the session table, with its spans when they were read, as a frozen record. */
export function storedSession(row: SqlRow): StoredSession {
  const record = recordOf(row);
  return {
    key: integerOf(row, "key"),
    version: integerOf(row, "version"),
    record,
    spans: spansOf(row["spans"], record.len),
    nowMs: integerOf(row, "now_ms"),
  };
}

function recordOf(row: SqlRow): SessionRecord {
  const member = optionalText(row, "member");
  const parentId = optionalText(row, "parent_id");
  return Object.freeze({
    id: textOf(row, "id"),
    state: textOf(row, "state") as SessionState,
    binding: member === null ? null : Object.freeze({ member }),
    baseLen: integerOf(row, "base_len"),
    len: integerOf(row, "len"),
    settledLen: integerOf(row, "settled_len"),
    openCalls: (jsonOf(row, "open_calls") ?? noCalls) as readonly string[],
    nextSeq: integerOf(row, "next_seq"),
    rev: integerOf(row, "rev"),
    headDigest: textOf(row, "head_digest"),
    runTurn: optionalText(row, "run_turn"),
    queuedInputs: integerOf(row, "queued_inputs"),
    pendingApprovals: integerOf(row, "pending_approvals"),
    lease: Object.freeze({
      epoch: integerOf(row, "lease_epoch"),
      owner: optionalText(row, "lease_owner"),
      expiresAt: optionalInteger(row, "lease_expires_at"),
    }),
    requestHead: optionalText(row, "request_head"),
    usage: Object.freeze({ own: usageOf(row, "own_usage"), inherited: usageOf(row, "inherited_usage") }),
    parent:
      parentId === null
        ? null
        : Object.freeze({
            sessionId: parentId,
            len: integerOf(row, "parent_len"),
            digest: textOf(row, "parent_digest"),
          }),
    spawnedBy: jsonOf(row, "spawned_by") as SessionRecord["spawnedBy"],
    createdAt: integerOf(row, "created_at"),
    updatedAt: integerOf(row, "updated_at"),
  });
}

const noCalls: readonly string[] = Object.freeze([]);

function valuesOf(record: SessionRecord): SqlValue[] {
  const { binding, lease, usage, parent, spawnedBy } = record;
  return [
    record.state,
    binding?.member ?? null,
    record.baseLen,
    record.len,
    record.settledLen,
    packFilled(record.openCalls),
    record.nextSeq,
    record.rev,
    record.headDigest,
    record.runTurn,
    record.queuedInputs,
    record.pendingApprovals,
    lease.epoch,
    lease.owner,
    lease.expiresAt,
    record.requestHead,
    packUsage(usage.own),
    packUsage(usage.inherited),
    parent?.sessionId ?? null,
    parent?.len ?? null,
    parent?.digest ?? null,
    packJson(spawnedBy === null ? null : { ...spawnedBy }),
    record.createdAt,
    record.updatedAt,
  ];
}
