import { noCalls } from "../append-rules.ts";
import type { SessionRecord } from "../session-record.ts";
import { optionalCell, optionalText, textOf, type Cell, type Cells, type ColumnForm } from "./column-form.ts";
import {
  integerOf,
  jsonOf,
  optionalInteger,
  packFilled,
  packJson,
  packUsage,
  usageOf,
  type ColumnRow,
} from "./stored-values.ts";

/** A column of a session's record; its id stands apart, since it never changes. */
export type SessionColumn =
  | "state"
  | "member"
  | "base_len"
  | "len"
  | "settled_len"
  | "open_calls"
  | "next_seq"
  | "rev"
  | "head_digest"
  | "run_turn"
  | "queued_inputs"
  | "pending_approvals"
  | "lease_epoch"
  | "lease_owner"
  | "lease_expires_at"
  | "request_head"
  | "own_usage"
  | "inherited_usage"
  | "parent_id"
  | "parent_len"
  | "parent_digest"
  | "spawned_by"
  | "created_at"
  | "updated_at";

const cells: Cells<SessionColumn, SessionRecord> = {
  state: ({ state }, form) => form.state(state),
  member: ({ binding }, form) => (binding === null ? null : form.name(binding.member)),
  base_len: ({ baseLen }) => baseLen,
  len: ({ len }) => len,
  settled_len: ({ settledLen }) => settledLen,
  open_calls: ({ openCalls }) => packFilled(openCalls),
  next_seq: ({ nextSeq }) => nextSeq,
  rev: ({ rev }) => rev,
  head_digest: ({ headDigest }, form) => form.text(headDigest),
  run_turn: ({ runTurn }, form) => optionalCell(form, runTurn),
  queued_inputs: ({ queuedInputs }) => queuedInputs,
  pending_approvals: ({ pendingApprovals }) => pendingApprovals,
  lease_epoch: ({ lease }) => lease.epoch,
  lease_owner: ({ lease }, form) => optionalCell(form, lease.owner),
  lease_expires_at: ({ lease }) => lease.expiresAt,
  request_head: ({ requestHead }, form) => optionalCell(form, requestHead),
  own_usage: ({ usage }) => packUsage(usage.own),
  inherited_usage: ({ usage }) => packUsage(usage.inherited),
  parent_id: ({ parent }, form) => optionalCell(form, parent?.sessionId),
  parent_len: ({ parent }) => parent?.len ?? null,
  parent_digest: ({ parent }, form) => optionalCell(form, parent?.digest),
  spawned_by: ({ spawnedBy }) => packJson(spawnedBy === null ? null : { ...spawnedBy }),
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ updatedAt }) => updatedAt,
};

/** Every column of a session's record but its id. */
export const sessionColumns: readonly SessionColumn[] = Object.freeze(Object.keys(cells) as SessionColumn[]);

/** A session's values for columns, in the order of the columns. */
export function sessionCells<Value>(
  columns: readonly SessionColumn[],
  record: SessionRecord,
  form: ColumnForm<Value>,
): Cell<Value>[] {
  return columns.map((column) => cells[column](record, form));
}

/** A row of all columns and `id` as a frozen record. */
export function sessionOfRow(row: ColumnRow, form: ColumnForm<unknown>): SessionRecord {
  return Object.freeze({
    id: textOf(row, "id", form),
    state: form.readState(row["state"]),
    binding: bindingOf(row, form),
    baseLen: integerOf(row, "base_len"),
    len: integerOf(row, "len"),
    settledLen: integerOf(row, "settled_len"),
    openCalls: (jsonOf(row, "open_calls") ?? noCalls) as readonly string[],
    nextSeq: integerOf(row, "next_seq"),
    rev: integerOf(row, "rev"),
    headDigest: textOf(row, "head_digest", form),
    runTurn: optionalText(row, "run_turn", form),
    queuedInputs: integerOf(row, "queued_inputs"),
    pendingApprovals: integerOf(row, "pending_approvals"),
    lease: Object.freeze({
      epoch: integerOf(row, "lease_epoch"),
      owner: optionalText(row, "lease_owner", form),
      expiresAt: optionalInteger(row, "lease_expires_at"),
    }),
    requestHead: optionalText(row, "request_head", form),
    usage: Object.freeze({ own: usageOf(row, "own_usage"), inherited: usageOf(row, "inherited_usage") }),
    parent: parentOf(row, form),
    spawnedBy: jsonOf(row, "spawned_by") as SessionRecord["spawnedBy"],
    createdAt: integerOf(row, "created_at"),
    updatedAt: integerOf(row, "updated_at"),
  });
}

function bindingOf(row: ColumnRow, form: ColumnForm<unknown>): SessionRecord["binding"] {
  const member = row["member"] ?? null;
  return member === null ? null : Object.freeze({ member: form.readName(member) });
}

function parentOf(row: ColumnRow, form: ColumnForm<unknown>): SessionRecord["parent"] {
  const sessionId = optionalText(row, "parent_id", form);
  if (sessionId === null) return null;
  return Object.freeze({
    sessionId,
    len: integerOf(row, "parent_len"),
    digest: textOf(row, "parent_digest", form),
  });
}
