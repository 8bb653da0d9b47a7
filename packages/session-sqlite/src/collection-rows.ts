import type { CollectionSteps, LogRange, RangeStep, SurveyedSession } from "@mobkit/session/rules";
import { integerOf } from "@mobkit/session/rules";
import type { SqlRow } from "./driver.ts";
import { forgetEvents } from "./outbox.ts";
import { readInTurn } from "./next-turn.ts";
import { readEpoch } from "./generation.ts";
import { textOf } from "./rows.ts";
import { stateNumber } from "./rows.ts";
import type { StoreConnection } from "./store-connection.ts";
import type { StoreContext } from "./store-context.ts";

/** The steps of a collection that are about rows. */
export function rowSteps<M>({
  connection,
  commits,
}: StoreContext<M>): Pick<
  CollectionSteps,
  | "survey"
  | "release"
  | "forgetEvents"
  | "markedRanges"
  | "markRanges"
  | "unmarkRange"
  | "measureRows"
  | "removeRows"
> {
  return {
    survey: (after, limit) => readInTurn(connection, () => surveyed(connection, after, limit)),
    release: (limit) => commits.submit(() => releaseTombstones(connection, limit)),
    forgetEvents: (before, limit) => commits.submit(() => forgetEvents(connection, before, limit)),
    markedRanges: () =>
      readInTurn(connection, () =>
        connection
          .statement("SELECT * FROM message_dead")
          .all()
          .map((row) => ({
            writer: integerOf(row, "session"),
            lo: integerOf(row, "lo"),
            hi: integerOf(row, "hi"),
            since: integerOf(row, "since"),
          })),
      ),
    markRanges: (ranges, since) =>
      commits.submit(() => {
        const mark = connection.statement(
          "INSERT INTO message_dead (session, lo, hi, since) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        );
        for (const { writer, lo, hi } of ranges) mark.run(writer, lo, hi, since);
      }),
    unmarkRange: ({ writer, lo, hi }) =>
      commits.submit(() => {
        connection
          .statement("DELETE FROM message_dead WHERE session = ? AND lo >= ? AND hi <= ?")
          .run(writer, lo, hi);
      }),
    measureRows: (range, limit) => readInTurn(connection, () => measured(connection, range, limit).step),
    removeRows: (range, { limit, epoch }) =>
      commits.submit(() => (readEpoch(connection) === epoch ? removed(connection, range, limit) : undefined)),
  };
}

/** One page of sessions with what they reach, by their numbers. */
function surveyed(
  connection: StoreConnection,
  after: number,
  limit: number,
): { items: SurveyedSession[]; next: number | null } {
  const sessions = connection
    .statement("SELECT key, state, base_len, len, next_seq FROM session WHERE key > ? ORDER BY key LIMIT ?")
    .all(after, limit);
  const last = sessions.at(-1);
  if (last === undefined) return { items: [], next: null };
  const lastKey = integerOf(last, "key");
  const spans = connection
    .statement(
      "SELECT session, start, writer, lo FROM span WHERE session > ? AND session <= ? ORDER BY session, start",
    )
    .all(after, lastKey);
  const bySession = new Map<number, SqlRow[]>(sessions.map((row) => [integerOf(row, "key"), []]));
  for (const row of spans) bySession.get(integerOf(row, "session"))?.push(row);
  const items = sessions.map((row): SurveyedSession => {
    const key = integerOf(row, "key");
    const own = integerOf(row, "state") === stateNumber("tombstone") ? [] : (bySession.get(key) ?? []);
    const reaches = own.map((span, index) => {
      const next = own[index + 1];
      const end = next === undefined ? integerOf(row, "len") : integerOf(next, "start");
      const lo = integerOf(span, "lo");
      return { writer: integerOf(span, "writer"), lo, hi: lo + end - integerOf(span, "start") };
    });
    return { log: { writer: key, lo: integerOf(row, "base_len"), hi: integerOf(row, "next_seq") }, reaches };
  });
  return { items, next: sessions.length < limit ? null : lastKey };
}

/** Lets go of what only a tombstone's own calls could reach. */
function releaseTombstones(connection: StoreConnection, limit: number): { done: boolean } {
  const keys = connection
    .statement(
      `SELECT key FROM session WHERE state = ${stateNumber("tombstone")} AND (
         EXISTS (SELECT 1 FROM span WHERE session = key) OR EXISTS (SELECT 1 FROM write_id WHERE session = key)
         OR EXISTS (SELECT 1 FROM side_state WHERE session = key)) LIMIT ?`,
    )
    .all(limit)
    .map((row) => integerOf(row, "key"));
  const listed = "(SELECT value FROM json_each(?))";
  const list = JSON.stringify(keys);
  const values = connection
    .statement(`SELECT value AS kept FROM side_state WHERE session IN ${listed}`)
    .all(list)
    .map((row) => integerOf(row, "kept"));
  for (const table of ["span", "write_id", "side_state"]) {
    connection.statement(`DELETE FROM ${table} WHERE session IN ${listed}`).run(list);
  }
  connection
    .statement(`DELETE FROM side_value WHERE key IN ${listed} AND key NOT IN (SELECT value FROM side_state)`)
    .run(JSON.stringify(values));
  return { done: keys.length < limit };
}

/** Counts the first rows of a range; `last` is the last one's number. */
function measured(
  connection: StoreConnection,
  range: LogRange,
  limit: number,
): { step: RangeStep; last: number } {
  const { writer, lo, hi } = range;
  const rows = connection
    .statement(
      `SELECT seq, coalesce(length(CAST(body AS BLOB)), 0) AS bytes FROM message
       WHERE session = ? AND seq >= ? AND seq < ? ORDER BY seq LIMIT ?`,
    )
    .all(writer, lo, hi, limit);
  const last = rows.at(-1);
  if (last === undefined) return { step: { rows: 0, bytes: 0, refs: [], next: null }, last: lo - 1 };
  const lastSeq = integerOf(last, "seq");
  const refs = connection
    .statement("SELECT digest FROM blob_ref WHERE session = ? AND seq >= ? AND seq <= ?")
    .all(writer, lo, lastSeq)
    .map((row) => textOf(row, "digest"));
  const bytes = rows.reduce((sum, row) => sum + integerOf(row, "bytes"), 0);
  const next = rows.length < limit ? null : lastSeq + 1;
  return { step: { rows: rows.length, bytes, refs, next }, last: lastSeq };
}

function removed(connection: StoreConnection, range: LogRange, limit: number): RangeStep {
  const { step, last } = measured(connection, range, limit);
  for (const table of ["message", "blob_ref", "context_mark", "message_copy"]) {
    connection
      .statement(`DELETE FROM ${table} WHERE session = ? AND seq >= ? AND seq <= ?`)
      .run(range.writer, range.lo, last);
  }
  connection
    .statement(
      "DELETE FROM turn WHERE session = ?1 AND NOT EXISTS (SELECT 1 FROM message WHERE session = ?1)",
    )
    .run(range.writer);
  connection
    .statement(
      "DELETE FROM blob_gone WHERE NOT EXISTS (SELECT 1 FROM blob_ref WHERE blob_ref.digest = blob_gone.digest)",
    )
    .run();
  return step;
}
