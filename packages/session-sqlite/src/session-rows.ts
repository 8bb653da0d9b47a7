import type { SessionRecord } from "@mobkit/session";
import {
  integerOf,
  sessionCells,
  sessionColumns,
  sessionOfRow,
  unknownSession,
  type SessionColumn,
} from "@mobkit/session/rules";
import type { SqlRow, SqlValue } from "./driver.ts";
import type { StoredSession } from "./known-records.ts";
import { pack } from "./packed-text.ts";
import { packedForm } from "./rows.ts";
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
  const row = connection.statement("SELECT * FROM session WHERE id = ?").get(pack(id));
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
  return storedSession(connection.statement("SELECT * FROM session WHERE key = ?").get(key)!);
}

/** Adds a session; answers its number. */
export function insertSession(connection: StoreConnection, record: SessionRecord): number {
  connection.statement(insertSql).run(pack(record.id), ...valuesOf(sessionColumns, record));
  // Asked for by itself: RETURNING costs more than a statement.
  const key = integerOf(connection.statement("SELECT last_insert_rowid() AS key").get()!, "key");
  connection.known.keepSession({ key, record });
  return key;
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

/** A row of the session table as a frozen record. */
export function storedSession(row: SqlRow): StoredSession {
  return { key: integerOf(row, "key"), record: sessionOfRow(row, packedForm) };
}

function valuesOf(columns: readonly SessionColumn[], record: SessionRecord): SqlValue[] {
  return sessionCells(columns, record, packedForm);
}
