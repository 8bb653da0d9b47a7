import type { ForkOperation } from "@mobkit/session";
import {
  changingOperationColumns,
  integerOf,
  operationCells,
  operationColumns,
  operationOfRow,
  unknownOperation,
  type OperationColumn,
} from "@mobkit/session/rules";
import type { SqlRow, SqlValue } from "./driver.ts";
import { pack } from "./packed-text.ts";
import { identityOf, namedAsMember, packedForm, textOf } from "./rows.ts";
import { parentDigest } from "./session-select.ts";
import { timeBeside, timeFrom } from "./short-times.ts";
import type { StoreConnection } from "./store-connection.ts";

/** Every column of an operation, with the ids of its two sessions and the prefix that they share. */
export const selectOperations: string = `SELECT fork_op.*, child.id AS child_id, child.parent_len AS source_len,
    ${parentDigest("child")} AS source_digest, source.id AS source_id FROM fork_op
  JOIN session AS child ON child.key = fork_op.session JOIN session AS source ON source.key = fork_op.source_session`;

/** The source's prefix stands in the child's session; the others are null until the operation goes on. */
const committed = operationColumns.filter(
  (column) =>
    !["source_len", "source_digest", "failure_reason", "failure_at", "agent_identity", "provision"].includes(
      column,
    ),
);
/** Right behind the event that tells of it. */
const insertSql = `INSERT INTO fork_op (session, source_session, first_event, ${committed.join(", ")})
  VALUES (?, ?, last_insert_rowid()${", ?".repeat(committed.length)})`;
const updateSql = `UPDATE fork_op SET ${placesOf(changingOperationColumns)} WHERE id = ?`;
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
const seatSql = `UPDATE fork_op SET last_event = last_insert_rowid(), ${placesOf(seated)} WHERE session = ?`;
const abandonSql = `UPDATE fork_op SET last_event = last_insert_rowid(), ${placesOf(changingOperationColumns)} WHERE session = ?`;

/** Times stand beside the operation's id; who is named as its member is not named again. */
function cellsOf<M>(columns: readonly OperationColumn[], operation: ForkOperation<M>): SqlValue[] {
  const values = operationCells(columns, operation, packedForm);
  for (const [at, column] of columns.entries()) {
    if (column === "created_at" || column === "updated_at")
      values[at] = timeBeside(operation.id, values[at] as number);
    if (column === "agent_identity" && operation.agentIdentity === operation.child.member)
      values[at] = BigInt(namedAsMember);
  }
  return values;
}

function placesOf(columns: readonly OperationColumn[]): string {
  return columns.map((column) => `${column} = ?`).join(", ");
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

/** Adds an operation of two stored sessions, right behind its event. */
export function insertOperation<M>(
  connection: StoreConnection,
  sessions: { readonly child: number; readonly source: number },
  operation: ForkOperation<M>,
): void {
  const values = cellsOf(committed, operation);
  connection.statement(insertSql).run(sessions.child, sessions.source, ...values);
  connection.known.keepOperation(operation);
}

/** Puts an operation in place of the stored one. */
export function updateOperation<M>(connection: StoreConnection, operation: ForkOperation<M>): void {
  const values = cellsOf(changingOperationColumns, operation);
  connection.statement(updateSql).run(...values, pack(operation.id));
  connection.known.keepOperation(operation);
}

/** Puts what a seat changed in place of what is stored, right behind the event that tells of it. */
export function writeSeatedOperation<M>(
  connection: StoreConnection,
  child: number,
  operation: ForkOperation<M>,
): void {
  connection.statement(seatSql).run(...cellsOf(seated, operation), child);
  connection.known.keepOperation(operation);
}

/** Does so for a fork that is given up. */
export function writeAbandonedOperation<M>(
  connection: StoreConnection,
  child: number,
  operation: ForkOperation<M>,
): void {
  const values = cellsOf(changingOperationColumns, operation);
  connection.statement(abandonSql).run(...values, child);
  connection.known.keepOperation(operation);
}

/** A row of `selectOperations` as a frozen record. */
export function operationOf<M>(row: SqlRow): ForkOperation<M> {
  const id = textOf(row, "id");
  const [created, updated] = ["created_at", "updated_at"].map((column) =>
    timeFrom(id, integerOf(row, column)),
  );
  return operationOfRow<M>(
    {
      ...row,
      created_at: created,
      updated_at: updated,
      agent_identity: identityOf(row, row["child_member"]!),
    },
    packedForm,
  );
}
