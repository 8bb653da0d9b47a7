import type { SessionRecord, SessionState } from "@mobkit/session";
import { unknownSession } from "@mobkit/session/rules";
import type { SqlRow, SqlValue } from "./driver.ts";
import { fromSortableBytes, pack, packOptional, sortableBytes } from "./packed-text.ts";
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
import type { StoreConnection } from "./store-connection.ts";

/** A session as stored: its number inside the file and its record. */
export interface StoredSession {
  readonly key: number;
  readonly record: SessionRecord;
}

/** The states by the number that they are stored as. */
export const stateNames: readonly SessionState[] = [
  "pending",
  "ready",
  "archived",
  "quarantined",
  "tombstone",
];

/** The number by which a state is stored. */
export function stateNumber(state: SessionState): number {
  return stateNames.indexOf(state);
}

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

/** What a fenced write may change; the rest of a row stays as it was. */
const written = [
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
] as const;

/** What a lease step may change. */
const leased = ["lease_epoch", "lease_owner", "lease_expires_at"] as const;

/** What a seat may change. */
const seated = ["state", "member", "queued_inputs", "updated_at"] as const;

const insertSql = `INSERT INTO session (id, ${columns.join(", ")}) VALUES (?${", ?".repeat(columns.length)}) RETURNING key`;
const updateSql = updateOf(columns);
const writeSql = updateOf(written);
const countedWriteSql = `${updateOf([...written, "write_count"]).replace("write_count = ?", "write_count = write_count + 1")} RETURNING write_count`;
const leaseSql = updateOf(leased);
const seatSql = updateOf(seated);

function updateOf(names: readonly string[]): string {
  return `UPDATE session SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE key = ?`;
}

/** The session of an id, in any state. */
export function findSession(connection: StoreConnection, id: string): StoredSession | undefined {
  const row = connection.statement("SELECT * FROM session WHERE id = ?").get(pack(id));
  return row && storedSession(row);
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
  const row = connection.statement(insertSql).get(pack(record.id), ...valuesOf(record));
  return integerOf(row!, "key");
}

/** Puts a record in place of the stored one. */
export function updateSession(connection: StoreConnection, key: number, record: SessionRecord): void {
  connection.statement(updateSql).run(...valuesOf(record), key);
}

/** Puts what a fenced write changed in place of what is stored. */
export function writeSession(connection: StoreConnection, key: number, record: SessionRecord): void {
  connection.statement(writeSql).run(...writtenValues(record), key);
}

/** Does so for a write that can be repeated; answers its ordinal among the session's. */
export function writeCountedSession(connection: StoreConnection, key: number, record: SessionRecord): number {
  const row = connection.statement(countedWriteSql).get(...writtenValues(record), key);
  return integerOf(row!, "write_count");
}

function writtenValues(record: SessionRecord): SqlValue[] {
  return [
    record.len,
    record.settledLen,
    packFilled(record.openCalls),
    record.nextSeq,
    record.rev,
    pack(record.headDigest),
    packOptional(record.runTurn),
    record.queuedInputs,
    record.pendingApprovals,
    packOptional(record.requestHead),
    packUsage(record.usage.own),
    record.updatedAt,
  ];
}

/** Puts a record's lease in place of the stored one. */
export function writeLease(connection: StoreConnection, key: number, { lease }: SessionRecord): void {
  connection.statement(leaseSql).run(lease.epoch, packOptional(lease.owner), lease.expiresAt, key);
}

/** Puts what a seat changed in place of what is stored. */
export function writeSeat(connection: StoreConnection, key: number, record: SessionRecord): void {
  const { state, binding, queuedInputs, updatedAt } = record;
  const member = binding === null ? null : sortableBytes(binding.member);
  connection.statement(seatSql).run(stateNumber(state), member, queuedInputs, updatedAt, key);
}

/** A row of the session table as a frozen record. */
export function storedSession(row: SqlRow): StoredSession {
  return { key: integerOf(row, "key"), record: recordOf(row) };
}

function recordOf(row: SqlRow): SessionRecord {
  const member = row["member"] as Uint8Array | null;
  const parentId = optionalText(row, "parent_id");
  return Object.freeze({
    id: textOf(row, "id"),
    state: stateNames[integerOf(row, "state")]!,
    binding: member === null ? null : Object.freeze({ member: fromSortableBytes(member) }),
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
    stateNumber(record.state),
    binding === null ? null : sortableBytes(binding.member),
    record.baseLen,
    record.len,
    record.settledLen,
    packFilled(record.openCalls),
    record.nextSeq,
    record.rev,
    pack(record.headDigest),
    packOptional(record.runTurn),
    record.queuedInputs,
    record.pendingApprovals,
    lease.epoch,
    packOptional(lease.owner),
    lease.expiresAt,
    packOptional(record.requestHead),
    packUsage(usage.own),
    packUsage(usage.inherited),
    packOptional(parent?.sessionId),
    parent?.len ?? null,
    packOptional(parent?.digest),
    packJson(spawnedBy === null ? null : { ...spawnedBy }),
    record.createdAt,
    record.updatedAt,
  ];
}
