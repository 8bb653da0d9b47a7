import type { JsonObject } from "@basis/core";
import type { ForkOperation, ForkOperationState, Labels } from "@mobkit/session";
import { unknownOperation } from "@mobkit/session/rules";
import type { SqlRow, SqlValue } from "./driver.ts";
import { fromSortableBytes, pack, packOptional, sortableBytes } from "./packed-text.ts";
import { integerOf, jsonOf, optionalInteger, optionalText, packFilled, packJson, textOf } from "./rows.ts";
import type { StoreConnection } from "./store-connection.ts";

const noLabels: Labels = Object.freeze({});
const noKinds: readonly string[] = Object.freeze([]);

/** Every column of an operation, with the ids of its two sessions and the prefix that they share. */
export const selectOperations = `SELECT fork_op.*, child.id AS child_id, child.parent_len AS source_len,
    child.parent_digest AS source_digest, source.id AS source_id FROM fork_op
  JOIN session AS child ON child.key = fork_op.session JOIN session AS source ON source.key = fork_op.source_session`;

const changing = [
  "state",
  "request",
  "child_member",
  "child_role",
  "child_labels",
  "claim_epoch",
  "claim_owner",
  "claim_expires_at",
  "failure_reason",
  "failure_at",
  "agent_identity",
  "provision",
  "updated_at",
] as const;

const lasting = [
  "session",
  "id",
  "idempotency_key",
  "request_digest",
  "source_member",
  "source_session",
  "initial_message",
  "side_state_reset",
  "created_at",
] as const;

const columnCount = lasting.length + changing.length;
const insertSql = `INSERT INTO fork_op (${[...lasting, ...changing].join(", ")}) VALUES (?${", ?".repeat(columnCount - 1)})`;
const updateSql = `UPDATE fork_op SET ${changing.map((column) => `${column} = ?`).join(", ")} WHERE id = ?`;

/** The operation of an id. @throws SessionError `unknown_operation`. */
export function requireOperation<M>(connection: StoreConnection, id: string): ForkOperation<M> {
  const found = findOperation<M>(connection, "id", id);
  if (found === undefined) throw unknownOperation(id);
  return found;
}

/** The operation of an id or of an idempotency key. */
export function findOperation<M>(
  connection: StoreConnection,
  column: "id" | "idempotency_key",
  value: string,
): ForkOperation<M> | undefined {
  const row = connection.statement(`${selectOperations} WHERE fork_op.${column} = ?`).get(pack(value));
  return row && operationOf<M>(row);
}

/** Adds an operation of two stored sessions. */
export function insertOperation<M>(
  connection: StoreConnection,
  sessions: { readonly child: number; readonly source: number },
  operation: ForkOperation<M>,
): void {
  const { source } = operation;
  const values: SqlValue[] = [
    sessions.child,
    pack(operation.id),
    packOptional(operation.idempotencyKey),
    pack(operation.requestDigest),
    sortableBytes(source.member),
    sessions.source,
    operation.initialMessage === null ? null : JSON.stringify(operation.initialMessage),
    packFilled(operation.sideStateReset),
    operation.createdAt,
  ];
  connection.statement(insertSql).run(...values, ...changingValues(operation));
}

/** Puts an operation in place of the stored one. */
export function updateOperation<M>(connection: StoreConnection, operation: ForkOperation<M>): void {
  connection.statement(updateSql).run(...changingValues(operation), pack(operation.id));
}

function changingValues<M>(operation: ForkOperation<M>): SqlValue[] {
  const { child, claim, failure } = operation;
  return [
    operation.state,
    JSON.stringify(operation.request),
    sortableBytes(child.member),
    pack(child.role),
    packFilled(child.labels),
    claim.epoch,
    packOptional(claim.owner),
    claim.expiresAt,
    packOptional(failure?.reason),
    failure?.at ?? null,
    packOptional(operation.agentIdentity),
    packJson(operation.provision),
    operation.updatedAt,
  ];
}

/** A row of `selectOperations` as a frozen record. */
export function operationOf<M>(row: SqlRow): ForkOperation<M> {
  const failedAt = optionalInteger(row, "failure_at");
  return Object.freeze({
    id: textOf(row, "id"),
    state: String(row["state"]) as ForkOperationState,
    idempotencyKey: optionalText(row, "idempotency_key"),
    requestDigest: textOf(row, "request_digest"),
    request: jsonOf(row, "request") as JsonObject,
    source: Object.freeze({
      member: fromSortableBytes(row["source_member"] as Uint8Array),
      sessionId: textOf(row, "source_id"),
      len: integerOf(row, "source_len"),
      digest: textOf(row, "source_digest"),
    }),
    child: Object.freeze({
      member: fromSortableBytes(row["child_member"] as Uint8Array),
      role: textOf(row, "child_role"),
      labels: (jsonOf(row, "child_labels") ?? noLabels) as Labels,
      sessionId: textOf(row, "child_id"),
    }),
    initialMessage: jsonOf(row, "initial_message") as M | null,
    sideStateReset: (jsonOf(row, "side_state_reset") ?? noKinds) as readonly string[],
    claim: Object.freeze({
      epoch: integerOf(row, "claim_epoch"),
      owner: optionalText(row, "claim_owner"),
      expiresAt: optionalInteger(row, "claim_expires_at"),
    }),
    failure:
      failedAt === null ? null : Object.freeze({ reason: textOf(row, "failure_reason"), at: failedAt }),
    agentIdentity: optionalText(row, "agent_identity"),
    provision: jsonOf(row, "provision"),
    createdAt: integerOf(row, "created_at"),
    updatedAt: integerOf(row, "updated_at"),
  });
}
