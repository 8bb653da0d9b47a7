import type { JsonObject } from "@basis/core";
import type { ForkOperation, ForkOperationState } from "../fork-operation.ts";
import type { Labels } from "../member.ts";
import { optionalCell, optionalText, textOf, type Cell, type Cells, type ColumnForm } from "./column-form.ts";
import { noLabels } from "./member-columns.ts";
import { integerOf, jsonOf, optionalInteger, packFilled, packJson, type ColumnRow } from "./stored-values.ts";

type LastingColumn =
  | "id"
  | "idempotency_key"
  | "request_digest"
  | "source_member"
  | "source_len"
  | "source_digest"
  | "initial_message"
  | "side_state_reset"
  | "created_at";

type ChangingColumn =
  | "state"
  | "request"
  | "child_member"
  | "child_role"
  | "child_labels"
  | "claim_epoch"
  | "claim_owner"
  | "claim_expires_at"
  | "failure_reason"
  | "failure_at"
  | "agent_identity"
  | "provision"
  | "updated_at";

/** A column of an operation's record; its two sessions are the store's to keep. */
export type OperationColumn = LastingColumn | ChangingColumn;

const changingCells: Cells<ChangingColumn, ForkOperation<unknown>> = {
  state: ({ state }) => state,
  request: ({ request }) => JSON.stringify(request),
  child_member: ({ child }, form) => form.name(child.member),
  child_role: ({ child }, form) => form.text(child.role),
  child_labels: ({ child }) => packFilled(child.labels),
  claim_epoch: ({ claim }) => claim.epoch,
  claim_owner: ({ claim }, form) => optionalCell(form, claim.owner),
  claim_expires_at: ({ claim }) => claim.expiresAt,
  failure_reason: ({ failure }, form) => optionalCell(form, failure?.reason),
  failure_at: ({ failure }) => failure?.at ?? null,
  agent_identity: ({ agentIdentity }, form) => optionalCell(form, agentIdentity),
  provision: ({ provision }) => packJson(provision),
  updated_at: ({ updatedAt }) => updatedAt,
};

const cells: Cells<OperationColumn, ForkOperation<unknown>> = {
  id: ({ id }, form) => form.text(id),
  idempotency_key: ({ idempotencyKey }, form) => optionalCell(form, idempotencyKey),
  request_digest: ({ requestDigest }, form) => form.text(requestDigest),
  source_member: ({ source }, form) => form.name(source.member),
  source_len: ({ source }) => source.len,
  source_digest: ({ source }, form) => form.text(source.digest),
  initial_message: ({ initialMessage }) => (initialMessage === null ? null : JSON.stringify(initialMessage)),
  side_state_reset: ({ sideStateReset }) => packFilled(sideStateReset),
  created_at: ({ createdAt }) => createdAt,
  ...changingCells,
};

/** Every column of an operation's record. */
export const operationColumns: readonly OperationColumn[] = Object.freeze(
  Object.keys(cells) as OperationColumn[],
);

/** Those that change after the commit. */
export const changingOperationColumns: readonly OperationColumn[] = Object.freeze(
  Object.keys(changingCells) as ChangingColumn[],
);

/** An operation's values for columns, in the order of the columns. */
export function operationCells<Value>(
  columns: readonly OperationColumn[],
  operation: ForkOperation<unknown>,
  form: ColumnForm<Value>,
): Cell<Value>[] {
  return columns.map((column) => cells[column](operation, form));
}

/** A row of all columns, `source_id` and `child_id` (the sessions' ids) as a frozen record. */
export function operationOfRow<M>(row: ColumnRow, form: ColumnForm<unknown>): ForkOperation<M> {
  const failedAt = optionalInteger(row, "failure_at");
  return Object.freeze({
    id: textOf(row, "id", form),
    state: String(row["state"]) as ForkOperationState,
    idempotencyKey: optionalText(row, "idempotency_key", form),
    requestDigest: textOf(row, "request_digest", form),
    request: jsonOf(row, "request") as JsonObject,
    source: Object.freeze({
      member: form.readName(row["source_member"]),
      sessionId: textOf(row, "source_id", form),
      len: integerOf(row, "source_len"),
      digest: textOf(row, "source_digest", form),
    }),
    child: Object.freeze({
      member: form.readName(row["child_member"]),
      role: textOf(row, "child_role", form),
      labels: (jsonOf(row, "child_labels") ?? noLabels) as Labels,
      sessionId: textOf(row, "child_id", form),
    }),
    initialMessage: jsonOf(row, "initial_message") as M | null,
    sideStateReset: (jsonOf(row, "side_state_reset") ?? noKinds) as readonly string[],
    claim: Object.freeze({
      epoch: integerOf(row, "claim_epoch"),
      owner: optionalText(row, "claim_owner", form),
      expiresAt: optionalInteger(row, "claim_expires_at"),
    }),
    failure:
      failedAt === null ? null : Object.freeze({ reason: textOf(row, "failure_reason", form), at: failedAt }),
    agentIdentity: optionalText(row, "agent_identity", form),
    provision: jsonOf(row, "provision"),
    createdAt: integerOf(row, "created_at"),
    updatedAt: integerOf(row, "updated_at"),
  });
}

const noKinds: readonly string[] = Object.freeze([]);
