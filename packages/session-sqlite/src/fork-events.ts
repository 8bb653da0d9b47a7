import type { ForkOperation, OutboxEvent } from "@mobkit/session";
import { forkEventPayload, integerOf, jsonOf } from "@mobkit/session/rules";
import type { SqlRow } from "./driver.ts";
import { fromSortableBytes, pack } from "./packed-text.ts";
import { textOf } from "./rows.ts";
import { timeBeside, timeFrom } from "./short-times.ts";
import type { StoreConnection } from "./store-connection.ts";

/** The kinds of a fork's own events; each is stored as its place in this list, from 1 on. */
export const forkEventKinds: readonly string[] = ["fork.committed", "fork.seated", "fork.abandoned"];

/**
 * Adds an event of a fork itself, which its transition writes exactly once: without a key, and without a payload, since
 * the operation tells both. The operation's row notes it next, by `last_insert_rowid()`.
 */
export function addForkEvent(
  connection: StoreConnection,
  kind: string,
  origin: { readonly key: number; readonly operationId: string; readonly now: number },
): void {
  connection.statement("INSERT INTO outbox (session, kind, created_at) VALUES (?, ?, ?)").run(
    origin.key,
    BigInt(forkEventKinds.indexOf(kind) + 1), // a number would be stored as a real one where a column takes any type
    timeBeside(origin.operationId, origin.now),
  );
}

/** Writes down what the waiting event of a fork's commit tells, before the operation tells something else. */
export function keepForkEvent<M>(connection: StoreConnection, operation: ForkOperation<M>): void {
  connection
    .statement(
      `UPDATE outbox SET payload = ? WHERE payload IS NULL AND consumed_at IS NULL AND key IS NULL
         AND entry = (SELECT first_event FROM fork_op WHERE id = ?)`,
    )
    .run(JSON.stringify(forkEventPayload(operation)), pack(operation.id));
}

/** True for the key of a waiting or remembered event that a fork itself has written. */
export function isForkEvent(connection: StoreConnection, key: string): boolean {
  const number = forkEventKinds.findIndex((kind) => key.startsWith(keyStart(kind))) + 1;
  if (number === 0) return false;
  const id = key.slice(keyStart(forkEventKinds[number - 1]!).length);
  const row = connection
    .statement(
      `SELECT 1 FROM fork_op JOIN outbox ON outbox.entry IN (first_event, last_event)
       WHERE fork_op.id = ? AND outbox.key IS NULL AND outbox.kind = ?`,
    )
    .get(pack(id), number);
  return row !== undefined;
}

/** The kind of an event's row. */
export const kindOfEvent: string = `CASE WHEN outbox.key IS NOT NULL THEN kind
  ELSE CASE kind ${forkEventKinds.map((kind, index) => `WHEN ${index + 1} THEN '${kind}'`).join(" ")} END END`;

/** What an event's row has to be joined with, for `forkEventOf`. */
export const forkOfEvent = `LEFT JOIN fork_op ON outbox.key IS NULL AND fork_op.session = outbox.session
  LEFT JOIN session AS source ON source.key = fork_op.source_session`;

/** What else has to be selected. */
export const forkEventColumns =
  "fork_op.id AS fork_id, fork_op.source_member, fork_op.child_member, source.id AS source_id, session.parent_len";

/** What an event's row tells beside its number and its session. */
export type ToldEvent = Pick<OutboxEvent, "key" | "kind" | "payload" | "createdAt">;

/** Key, kind, payload and time of a row with those columns; undefined for an event that is no fork's own. */
export function forkEventOf(row: SqlRow): ToldEvent | undefined {
  if (row["key"] !== null) return undefined;
  const kind = forkEventKinds[integerOf(row, "kind") - 1]!;
  const id = textOf(row, "fork_id");
  const source = {
    member: fromSortableBytes(row["source_member"] as Uint8Array),
    sessionId: textOf(row, "source_id"),
    len: integerOf(row, "parent_len"),
  };
  const child = {
    member: fromSortableBytes(row["child_member"] as Uint8Array),
    sessionId: textOf(row, "session_id"),
  };
  const told = jsonOf(row, "payload") ?? Object.freeze(forkEventPayload({ id, source, child }));
  const createdAt = timeFrom(id, integerOf(row, "created_at"));
  return { key: `${keyStart(kind)}${id}`, kind, payload: told, createdAt };
}

function keyStart(kind: string): string {
  return `${kind.replace(".", "-")}:`;
}
