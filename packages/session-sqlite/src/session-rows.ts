import type { SessionRecord } from "@mobkit/session";
import {
  integerOf,
  packUsage,
  sessionCells,
  sessionColumns,
  unknownSession,
  type SessionColumn,
} from "@mobkit/session/rules";
import type { SqlValue } from "./driver.ts";
import type { StoredSession } from "./known-records.ts";
import { pack, packOptional } from "./packed-text.ts";
import { packedForm, stateNumber } from "./rows.ts";
import { selectSessions, storedSession } from "./session-select.ts";
import { timeBeside } from "./short-times.ts";
import type { StoreConnection } from "./store-connection.ts";

export type { StoredSession } from "./known-records.ts";

/** What a fenced write may change; the rest of a row stays as it was. */
const written: readonly SessionColumn[] = [
  "len",
  "settled_len",
  "open_calls",
  "next_seq",
  "rev",
  "head_digest",
  "run_turn",
  "queued_inputs",
  "pending_approvals",
  "request_head",
  "own_usage",
  "updated_at",
];

/** What a lease step may change. */
const leased: readonly SessionColumn[] = ["lease_epoch", "lease_owner", "lease_expires_at"];

/** What a seat may change. */
const seated: readonly SessionColumn[] = ["state", "member", "queued_inputs", "updated_at"];

const insertSql = `INSERT INTO session (id, ${sessionColumns.join(", ")}) VALUES (?${", ?".repeat(sessionColumns.length)})`;
const forkedSql = `INSERT INTO session (id, state, base_len, len, settled_len, next_seq, rev, queued_inputs, pending_approvals,
    lease_epoch, request_head, inherited_usage, parent_id, parent_len, parent_digest, created_at, updated_at)
  VALUES (?1, ${stateNumber("pending")}, ?2, ?2, ?2, ?2, 0, 0, 0, 0, ?3, ?4, ?5, ?2, ?6, ?7, ?7)`;
const byId = selectSessions("id = ?");
const byKey = selectSessions("key = ?");
const updateSql = updateOf(sessionColumns);
const writeSql = updateOf(written);
const countedWriteSql = `${updateOf([...written, "write_count"]).replace("write_count = ?", "write_count = write_count + 1")} RETURNING write_count`;
const leaseSql = updateOf(leased);
const seatSql = updateOf(seated);

function updateOf(names: readonly string[]): string {
  return `UPDATE session SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE key = ?`;
}

/** The session of an id, in any state. */
export function findSession(connection: StoreConnection, id: string): StoredSession | undefined {
  const known = connection.known.session(id);
  if (known !== undefined) return known;
  const row = connection.statement(byId).get(pack(id));
  if (row === undefined) return undefined;
  const found = storedSession(row);
  connection.known.keepSession(found);
  return found;
}

/** The session of an id. @throws SessionError `unknown_session`. */
export function requireSession(connection: StoreConnection, id: string): StoredSession {
  const found = findSession(connection, id);
  if (found === undefined) throw unknownSession(id);
  return found;
}

/** The session of a number that some row holds. */
export function sessionOfKey(connection: StoreConnection, key: number): StoredSession {
  return storedSession(connection.statement(byKey).get(key)!);
}

/** Adds a session; answers its number. */
export function insertSession(connection: StoreConnection, record: SessionRecord): number {
  connection.statement(insertSql).run(pack(record.id), ...valuesOf(sessionColumns, record));
  return keepInserted(connection, record);
}

function keepInserted(connection: StoreConnection, record: SessionRecord): number {
  // Asked for by itself: RETURNING costs more than a statement.
  const key = integerOf(connection.statement("SELECT last_insert_rowid() AS key").get()!, "key");
  connection.known.keepSession({ key, record });
  return key;
}

/**
 * Adds the child of a stored session, which begins blank but for its parent's prefix and request head; answers its number.
 * The prefix's digest is its last row's, which the child's spans reach as long as it is no tombstone.
 */
export function insertForkedSession(
  connection: StoreConnection,
  source: StoredSession,
  record: SessionRecord,
): number {
  const { id, len, requestHead, usage, parent, createdAt } = record;
  connection.statement(forkedSql).run(
    pack(id),
    len,
    packOptional(requestHead),
    packUsage(usage.inherited),
    BigInt(source.key), // a number would be stored as a real one where a column takes any type
    len === 0 ? pack(parent!.digest) : null,
    timeBeside(id, createdAt),
  );
  return keepInserted(connection, record);
}

/** Puts a record in place of the stored one. */
export function updateSession(connection: StoreConnection, key: number, record: SessionRecord): void {
  connection.statement(updateSql).run(...valuesOf(sessionColumns, record), key);
  connection.known.keepSession({ key, record });
}

/** Puts what a fenced write changed in place of what is stored. */
export function writeSession(connection: StoreConnection, key: number, record: SessionRecord): void {
  connection.statement(writeSql).run(...valuesOf(written, record), key);
  connection.known.keepSession({ key, record });
}

/** Does so for a write that can be repeated; answers its ordinal among the session's. */
export function writeCountedSession(connection: StoreConnection, key: number, record: SessionRecord): number {
  const row = connection.statement(countedWriteSql).get(...valuesOf(written, record), key);
  connection.known.keepSession({ key, record });
  return integerOf(row!, "write_count");
}

/** Puts a record's lease in place of the stored one. */
export function writeLease(connection: StoreConnection, key: number, record: SessionRecord): void {
  connection.statement(leaseSql).run(...valuesOf(leased, record), key);
  connection.known.keepSession({ key, record });
}

/** Puts what a seat changed in place of what is stored. */
export function writeSeat(connection: StoreConnection, key: number, record: SessionRecord): void {
  connection.statement(seatSql).run(...valuesOf(seated, record), key);
  connection.known.keepSession({ key, record });
}

/** Times stand beside the session's id. */
function valuesOf(columns: readonly SessionColumn[], record: SessionRecord): SqlValue[] {
  const values = sessionCells(columns, record, packedForm);
  for (const [at, column] of columns.entries())
    if (column === "created_at" || column === "updated_at")
      values[at] = timeBeside(record.id, values[at] as number);
  return values;
}
