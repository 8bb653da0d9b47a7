import type { NewOutboxEvent, Outbox, OutboxEvent } from "@mobkit/session";
import { SessionError } from "@mobkit/session";
import { afterNumber, conditions, integerOf, jsonOf, pageLimit, pageOf } from "@mobkit/session/rules";
import type { SqlRow, SqlValue } from "./driver.ts";
import { forkEventColumns, forkEventOf, forkOfEvent, isForkEvent, kindOfEvent } from "./fork-events.ts";
import { pack } from "./packed-text.ts";
import { textOf } from "./rows.ts";
import type { StoreConnection } from "./store-connection.ts";
import type { StoreContext } from "./store-context.ts";

/** The events of a store that wait for a consumer. */
export function sqliteOutbox<M>({ connection, commits, clock }: StoreContext<M>): Outbox {
  return {
    list: async (request = {}) => {
      const limit = pageLimit(request);
      const { sql, values } = selectionOf(request);
      const rows = await connection.look(
        () => connection.statement(sql).all(...values, limit + 1),
        request.signal,
      );
      return pageOf(rows.map(eventOf), { limit, cursor: ({ id }) => id });
    },
    consume: (eventId, options = {}) =>
      commits.submit(() => consumeEvent(connection, eventId, clock.now()), options.signal),
  };
}

/** A session's waiting events: those with a key by their index, a fork's own as its operation notes them. */
const entriesOfSession = `WITH own (key) AS (SELECT key FROM session WHERE id = ?)
  SELECT entry FROM outbox, own WHERE outbox.session = own.key AND consumed_at IS NULL AND outbox.key IS NOT NULL
  UNION ALL SELECT first_event FROM fork_op, own WHERE fork_op.session = own.key
  UNION ALL SELECT last_event FROM fork_op, own WHERE fork_op.session = own.key`;

function selectionOf({ after, sessionId, kind }: Parameters<Outbox["list"]>[0] & object): {
  readonly sql: string;
  readonly values: readonly SqlValue[];
} {
  const where = conditions(
    [
      ["entry >", afterNumber(after)],
      [`${kindOfEvent} =`, kind === undefined ? undefined : pack(kind)],
    ],
    () => "?",
  );
  const ofSession = sessionId === undefined ? "" : `AND entry IN (${entriesOfSession})`;
  return {
    sql: `SELECT outbox.*, session.id AS session_id, ${forkEventColumns}
      FROM outbox JOIN session ON session.key = outbox.session ${forkOfEvent}
      WHERE consumed_at IS NULL AND ${where.sql} ${ofSession} ORDER BY entry LIMIT ?`,
    values: [...where.values, ...(sessionId === undefined ? [] : [pack(sessionId)])],
  };
}

/** Adds events; one whose key was used before is left out. */
export function addEvents(
  connection: StoreConnection,
  events: readonly NewOutboxEvent[],
  origin: { readonly key: number; readonly now: number },
): void {
  for (const { key, kind, payload } of events) {
    if (isForkEvent(connection, key)) continue;
    connection
      .statement(
        `INSERT INTO outbox (key, session, kind, payload, created_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING`,
      )
      .run(pack(key), origin.key, pack(kind), JSON.stringify(payload), origin.now);
  }
}

/** Takes an event out; false when it was taken before. Its key stays, so that it isn't written again. */
export function consumeEvent(connection: StoreConnection, eventId: string, now: number): boolean {
  const entry = Number(eventId);
  if (!Number.isSafeInteger(entry) || String(entry) !== eventId) return false;
  const changed = connection
    .statement("UPDATE outbox SET consumed_at = ?, payload = NULL WHERE entry = ? AND consumed_at IS NULL")
    .run(now, entry);
  return changed === 1;
}

/** Takes out the events that a write deals with. @throws SessionError `event_consumed`. */
export function consumeEvents(connection: StoreConnection, eventIds: readonly string[], now: number): void {
  for (const eventId of eventIds) {
    if (consumeEvent(connection, eventId, now)) continue;
    throw new SessionError("event_consumed", `event ${eventId} is consumed already`, {
      details: { eventId },
    });
  }
}

/** Forgets events with their keys. The last entry stays, since its number would be given again. */
export function forgetEvents(
  connection: StoreConnection,
  before: number,
  limit: number,
): { readonly done: boolean } {
  const changed = connection
    .statement(
      `DELETE FROM outbox WHERE entry IN (SELECT entry FROM outbox
         WHERE consumed_at <= ? AND entry < (SELECT max(entry) FROM outbox) ORDER BY entry LIMIT ?)`,
    )
    .run(before, limit);
  return { done: changed < limit };
}

function eventOf(row: SqlRow): OutboxEvent {
  const told = forkEventOf(row) ?? {
    key: textOf(row, "key"),
    kind: textOf(row, "kind"),
    payload: jsonOf(row, "payload"),
    createdAt: integerOf(row, "created_at"),
  };
  return Object.freeze({
    id: String(integerOf(row, "entry")),
    ...told,
    sessionId: textOf(row, "session_id"),
  });
}
