import type { ForkOperation } from "@mobkit/session";
import {
  changingOperationColumns,
  integerOf,
  operationCells,
  operationColumns,
  operationOfRow,
  unknownOperation,
} from "@mobkit/session/rules";
import { plainForm } from "./rows.ts";
import { nowColumn, statement, type Sql, type SqlRow, type SqlStatement } from "./sql.ts";

/** An operation and the database's time when it was read. */
export interface StoredOperation<M> {
  readonly operation: ForkOperation<M>;
  readonly nowMs: number;
}

/** Every column of an operation, with the ids of its two sessions. */
export const selectOperations: string = `SELECT fork_op.*, child.id AS child_id, source.id AS source_id, ${nowColumn} FROM fork_op
  JOIN session AS child ON child.key = fork_op.session JOIN session AS source ON source.key = fork_op.source_session`;

const insertSql = `INSERT INTO fork_op (session, source_session, ${operationColumns.join(", ")})
  VALUES ($1, $2, ${operationColumns.map((_, index) => `$${index + 3}`).join(", ")})`;
const updateSql = `UPDATE fork_op SET ${changingOperationColumns.map((column, index) => `${column} = $${index + 2}`).join(", ")} WHERE id = $1`;

/** By which of its names an operation is looked up. */
export type OperationName = "fork_op.id" | "fork_op.idempotency_key" | "child.id";

/** The operation of an id, of an idempotency key or of its child's session. */
export async function findOperation<M>(
  sql: Sql,
  column: OperationName,
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
  const values = operationCells(operationColumns, operation, plainForm);
  return statement(insertSql, sessions.child, sessions.source, ...values);
}

/** Puts an operation in place of the stored one. */
export function updateOperation<M>(operation: ForkOperation<M>): SqlStatement {
  const values = operationCells(changingOperationColumns, operation, plainForm);
  return statement(updateSql, operation.id, ...values);
}

/** A row of `selectOperations` as a frozen record. */
export function operationOf<M>(row: SqlRow): ForkOperation<M> {
  return operationOfRow<M>(row, plainForm);
}
