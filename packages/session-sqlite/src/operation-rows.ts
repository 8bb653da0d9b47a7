import type { ForkOperation } from "@mobkit/session";
import {
  changingOperationColumns,
  operationCells,
  operationColumns,
  operationOfRow,
  unknownOperation,
  type OperationColumn,
} from "@mobkit/session/rules";
import type { SqlRow } from "./driver.ts";
import { pack } from "./packed-text.ts";
import { packedForm } from "./rows.ts";
import type { StoreConnection } from "./store-connection.ts";

/** Every column of an operation, with the ids of its two sessions and the prefix that they share. */
export const selectOperations = `SELECT fork_op.*, child.id AS child_id, child.parent_len AS source_len,
    child.parent_digest AS source_digest, source.id AS source_id FROM fork_op
  JOIN session AS child ON child.key = fork_op.session JOIN session AS source ON source.key = fork_op.source_session`;

/** The source's prefix stands in the child's session. */
const inserted = operationColumns.filter((column) => column !== "source_len" && column !== "source_digest");
const insertSql = `INSERT INTO fork_op (session, source_session, ${inserted.join(", ")}) VALUES (?, ?${", ?".repeat(inserted.length)})`;
const updateSql = updateOf(changingOperationColumns);
/** What a seat may change. */
const seated: readonly OperationColumn[] = [
  "state",
  "claim_expires_at",
  "failure_reason",
  "failure_at",
  "agent_identity",
  "provision",
  "updated_at",
];
const seatSql = updateOf(seated);

function updateOf(columns: readonly OperationColumn[]): string {
  return `UPDATE fork_op SET ${columns.map((column) => `${column} = ?`).join(", ")} WHERE id = ?`;
}

/** The operation of an id. @throws SessionError `unknown_operation`. */
export function requireOperation<M>(connection: StoreConnection, id: string): ForkOperation<M> {
  const known = connection.known.operation(id);
  if (known !== undefined) return known as ForkOperation<M>;
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
  const values = operationCells(inserted, operation, packedForm);
  connection.statement(insertSql).run(sessions.child, sessions.source, ...values);
  connection.known.keepOperation(operation);
}

/** Puts an operation in place of the stored one. */
export function updateOperation<M>(connection: StoreConnection, operation: ForkOperation<M>): void {
  const values = operationCells(changingOperationColumns, operation, packedForm);
  connection.statement(updateSql).run(...values, pack(operation.id));
  connection.known.keepOperation(operation);
}

/** Puts what a seat changed in place of what is stored. */
export function writeSeatedOperation<M>(connection: StoreConnection, operation: ForkOperation<M>): void {
  const values = operationCells(seated, operation, packedForm);
  connection.statement(seatSql).run(...values, pack(operation.id));
  connection.known.keepOperation(operation);
}

/** A row of `selectOperations` as a frozen record. */
export function operationOf<M>(row: SqlRow): ForkOperation<M> {
  return operationOfRow<M>(row, packedForm);
}
