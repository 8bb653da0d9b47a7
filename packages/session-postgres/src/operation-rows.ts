import type { JsonObject } from "@basis/core";
import type { ForkOperation, ForkOperationState, Labels } from "@mobkit/session";
import { unknownOperation } from "@mobkit/session/rules";
import { integerOf, jsonOf, optionalInteger, optionalText, packFilled, packJson, textOf } from "./rows.ts";
import { nowColumn, statement, type Sql, type SqlRow, type SqlStatement, type SqlValue } from "./sql.ts";

const noLabels: Labels = Object.freeze({});
const noKinds: readonly string[] = Object.freeze([]);

/** An operation and the database's time when it was read. */
export interface StoredOperation<M> {
  readonly operation: ForkOperation<M>;
  readonly nowMs: number;
}

/** Every column of an operation, with the ids of its two sessions. */
export const selectOperations: string = `SELECT fork_op.*, child.id AS child_id, source.id AS source_id, ${nowColumn} FROM fork_op
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
  "source_len",
  "source_digest",
  "initial_message",
  "side_state_reset",
  "created_at",
] as const;

const all = [...lasting, ...changing];
const insertSql = `INSERT INTO fork_op (${all.join(", ")}) VALUES (${all.map((_, index) => `$${index + 1}`).join(", ")})`;
const updateSql = `UPDATE fork_op SET ${changing.map((column, index) => `${column} = $${index + 2}`).join(", ")} WHERE id = $1`;

/** By which of its names an operation is looked up. */
export type OperationColumn = "fork_op.id" | "fork_op.idempotency_key" | "child.id";

/** The operation of an id, of an idempotency key or of its child's session. */
export async function findOperation<M>(
  sql: Sql,
  column: OperationColumn,
  value: string,
): Promise<ForkOperation<M> | undefined> {
  const [row] = await sql.query(`${selectOperations} WHERE ${column} = $1`, [value]);
  return row && operationOf<M>(row);
}

/** The operation of an id; it stays as it is read until the transaction ends. @throws SessionError `unknown_operation`. */
export async function holdOperation<M>(sql: Sql, id: string): Promise<StoredOperation<M>> {
  const [, rows] = await Promise.all([
    sql.query("SELECT 1 FROM fork_op WHERE id = $1 FOR NO KEY UPDATE", [id]),
    sql.query(`${selectOperations} WHERE fork_op.id = $1`, [id]),
  ]);
  const [row] = rows;
  if (row === undefined) throw unknownOperation(id);
  return { operation: operationOf<M>(row), nowMs: integerOf(row, "now_ms") };
}

/** Adds an operation of two stored sessions. A key that was used meanwhile fails as a duplicate. */
export function insertOperation<M>(
  sessions: { readonly child: number; readonly source: number },
  operation: ForkOperation<M>,
): SqlStatement {
  const { source, initialMessage } = operation;
  return statement(
    insertSql,
    sessions.child,
    operation.id,
    operation.idempotencyKey,
    operation.requestDigest,
    source.member,
    sessions.source,
    source.len,
    source.digest,
    initialMessage === null ? null : JSON.stringify(initialMessage),
    packFilled(operation.sideStateReset),
    operation.createdAt,
    ...changingValues(operation),
  );
}

/** Puts an operation in place of the stored one. */
export function updateOperation<M>(operation: ForkOperation<M>): SqlStatement {
  return statement(updateSql, operation.id, ...changingValues(operation));
}

function changingValues<M>(operation: ForkOperation<M>): SqlValue[] {
  const { child, claim, failure } = operation;
  return [
    operation.state,
    JSON.stringify(operation.request),
    child.member,
    child.role,
    packFilled(child.labels),
    claim.epoch,
    claim.owner,
    claim.expiresAt,
    failure?.reason ?? null,
    failure?.at ?? null,
    operation.agentIdentity,
    packJson(operation.provision),
    operation.updatedAt,
  ];
}

/** A row of `selectOperations` as a frozen record. */
export function operationOf<M>(row: SqlRow): ForkOperation<M> {
  const failedAt = optionalInteger(row, "failure_at");
  return Object.freeze({
    id: textOf(row, "id"),
    state: textOf(row, "state") as ForkOperationState,
    idempotencyKey: optionalText(row, "idempotency_key"),
    requestDigest: textOf(row, "request_digest"),
    request: jsonOf(row, "request") as JsonObject,
    source: Object.freeze({
      member: textOf(row, "source_member"),
      sessionId: textOf(row, "source_id"),
      len: integerOf(row, "source_len"),
      digest: textOf(row, "source_digest"),
    }),
    child: Object.freeze({
      member: textOf(row, "child_member"),
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
