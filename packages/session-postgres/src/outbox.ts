import type { NewOutboxEvent, Outbox, OutboxEvent } from "@mobkit/session";
import { SessionError } from "@mobkit/session";
import { afterNumber, conditions, integerOf, jsonOf, pageLimit, pageOf } from "@mobkit/session/rules";
import { textOf } from "./rows.ts";
import { statement, type Sql, type SqlRow, type SqlStatement } from "./sql.ts";
import type { StoreContext } from "./store-context.ts";
import type { Decision } from "./transactions.ts";

/** The events of a store that wait for a consumer. */
export function postgresOutbox<M>({ transactions, time }: StoreContext<M>): Outbox {
  return {
    list: async (request = {}) => {
      const limit = pageLimit(request);
      const where = conditions<string | number>(
        [
          ["consumed_at IS NULL AND entry >", afterNumber(request.after)],
          ["session.id =", request.sessionId],
          ["kind =", request.kind],
        ],
        (number) => `$${number}`,
      );
      const rows = await transactions.read(
        (sql) =>
          sql.query(
            `SELECT outbox.*, session.id AS session_id FROM outbox JOIN session ON session.key = outbox.session
             WHERE ${where.sql} ORDER BY entry LIMIT $${where.values.length + 1}`,
            [...where.values, limit + 1],
          ),
        request.signal,
      );
      return pageOf(rows.map(eventOf), { limit, cursor: ({ id }) => id });
    },
    consume: (eventId, options = {}) =>
      transactions.write(async (sql) => {
        const entry = entryOf(eventId);
        const free = entry !== undefined && (await holdEvents(sql, [entry])).size === 1;
        return { answer: free, writes: free ? [consumeEntries([entry], time.estimate())] : [] };
      }, options.signal),
  };
}

/** Adds events; one whose key was used before is left out. */
export function addEvents(
  events: readonly NewOutboxEvent[],
  origin: { readonly key: number; readonly now: number },
): SqlStatement {
  return statement(
    `INSERT INTO outbox (key, session, kind, payload, created_at)
     SELECT key, $4, kind, payload, $5 FROM unnest($1::text[], $2::text[], $3::text[]) AS given (key, kind, payload)
     ON CONFLICT (key) DO NOTHING`,
    events.map(({ key }) => key),
    events.map(({ kind }) => kind),
    events.map(({ payload }) => JSON.stringify(payload)),
    origin.key,
    origin.now,
  );
}

/** Takes out the events that a write deals with. @throws SessionError `event_consumed`. */
export async function consumeEvents(
  sql: Sql,
  eventIds: readonly string[],
  now: number,
): Promise<readonly SqlStatement[]> {
  if (eventIds.length === 0) return [];
  const entries = eventIds.map(entryOf);
  const free = await holdEvents(
    sql,
    entries.filter((entry) => entry !== undefined),
  );
  for (const [index, entry] of entries.entries()) {
    if (entry !== undefined && free.has(entry) && entries.indexOf(entry) === index) continue;
    const eventId = eventIds[index]!;
    throw new SessionError("event_consumed", `event ${eventId} is consumed already`, {
      details: { eventId },
    });
  }
  return [consumeEntries([...free], now)];
}

/** The events among these that nobody has consumed; nobody does until the transaction ends. */
async function holdEvents(sql: Sql, entries: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await sql.query(
    `SELECT entry FROM outbox WHERE entry = ANY ($1::bigint[]) AND consumed_at IS NULL
     ORDER BY entry FOR NO KEY UPDATE`,
    [entries],
  );
  return new Set(rows.map((row) => integerOf(row, "entry")));
}

/** Forgets events with their keys. */
export async function forgetEvents(
  sql: Sql,
  before: number,
  limit: number,
): Promise<Decision<{ readonly done: boolean }>> {
  const rows = await sql.query("SELECT entry FROM outbox WHERE consumed_at <= $1 ORDER BY entry LIMIT $2", [
    before,
    limit,
  ]);
  const entries = rows.map((row) => integerOf(row, "entry"));
  if (entries.length === 0) return { answer: { done: true }, writes: [] };
  const forgotten = statement("DELETE FROM outbox WHERE entry = ANY ($1::bigint[])", entries);
  return { answer: { done: entries.length < limit }, writes: [forgotten] };
}

/** The keys stay, so that no such event is written again. */
function consumeEntries(entries: readonly number[], now: number): SqlStatement {
  return statement(
    "UPDATE outbox SET consumed_at = $2, payload = 'null' WHERE entry = ANY ($1::bigint[])",
    entries,
    now,
  );
}

function entryOf(eventId: string): number | undefined {
  const entry = Number(eventId);
  return Number.isSafeInteger(entry) && String(entry) === eventId ? entry : undefined;
}

function eventOf(row: SqlRow): OutboxEvent {
  return Object.freeze({
    id: String(integerOf(row, "entry")),
    key: textOf(row, "key"),
    kind: textOf(row, "kind"),
    payload: jsonOf(row, "payload"),
    sessionId: textOf(row, "session_id"),
    createdAt: integerOf(row, "created_at"),
  });
}
