import type { CollectionSteps, LogRange, RangeStep, SurveyedSession } from "@mobkit/session/rules";
import { integerOf } from "@mobkit/session/rules";
import { readEpoch } from "./generation.ts";
import { textOf } from "./rows.ts";
import { pageOfSessions } from "./session-rows.ts";
import { statement, type Sql, type SqlStatement } from "./sql.ts";
import type { StoreContext } from "./store-context.ts";
import type { Decision } from "./transactions.ts";
import { forgetEvents } from "./outbox.ts";
import { holdUpkeep } from "./upkeep-lock.ts";

/** The steps of a collection that are about rows. */
export function rowSteps<M>({
  transactions,
  server,
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
  const write = (one: SqlStatement) => transactions.write(async () => ({ answer: undefined, writes: [one] }));
  return {
    survey: (after, limit) => transactions.read((sql) => surveyed(sql, after, limit)),
    release: (limit) => transactions.write((sql) => releaseTombstones(sql, limit)),
    forgetEvents: (before, limit) => transactions.write((sql) => forgetEvents(sql, before, limit)),
    markedRanges: () => transactions.read(markedRanges),
    markRanges: (ranges, since) =>
      write(
        statement(
          `INSERT INTO message_dead (session, lo, hi, since)
           SELECT *, $4 FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) ON CONFLICT DO NOTHING`,
          ranges.map(({ writer }) => writer),
          ranges.map(({ lo }) => lo),
          ranges.map(({ hi }) => hi),
          since,
        ),
      ),
    unmarkRange: ({ writer, lo, hi }) =>
      write(
        statement("DELETE FROM message_dead WHERE session = $1 AND lo >= $2 AND hi <= $3", writer, lo, hi),
      ),
    measureRows: (range, limit) => transactions.read(async (sql) => (await measured(sql, range, limit)).step),
    removeRows: (range, terms) =>
      transactions.write(async (sql) => {
        await holdUpkeep(sql, server.options.schema);
        return removed(sql, range, terms);
      }),
  };
}

/** One page of sessions with what they reach, by their numbers. */
async function surveyed(
  sql: Sql,
  after: number,
  limit: number,
): Promise<{ items: SurveyedSession[]; next: number | null }> {
  const sessions = await pageOfSessions(sql, after, limit);
  const items = sessions.map(({ key, record, spans }): SurveyedSession => {
    const own = record.state === "tombstone" ? [] : spans;
    return {
      log: { writer: key, lo: record.baseLen, hi: record.nextSeq },
      reaches: own.map(({ writerKey, lo, hi }) => ({ writer: writerKey, lo, hi })),
    };
  });
  return { items, next: sessions.length < limit ? null : sessions.at(-1)!.key };
}

async function markedRanges(sql: Sql) {
  const rows = await sql.query("SELECT * FROM message_dead");
  return rows.map((row) => ({
    writer: integerOf(row, "session"),
    lo: integerOf(row, "lo"),
    hi: integerOf(row, "hi"),
    since: integerOf(row, "since"),
  }));
}

/** Lets go of what only a tombstone's own calls could reach. */
async function releaseTombstones(sql: Sql, limit: number): Promise<Decision<{ done: boolean }>> {
  const rows = await sql.query(
    `SELECT key FROM session WHERE state = 'tombstone' AND (
       EXISTS (SELECT 1 FROM span WHERE session = key) OR EXISTS (SELECT 1 FROM write_id WHERE session = key)
       OR EXISTS (SELECT 1 FROM side_state WHERE session = key)) LIMIT $1`,
    [limit],
  );
  const keys = rows.map((row) => integerOf(row, "key"));
  if (keys.length === 0) return { answer: { done: true }, writes: [] };
  const writes = [
    statement("DELETE FROM span WHERE session = ANY ($1::bigint[])", keys),
    statement("DELETE FROM write_id WHERE session = ANY ($1::bigint[])", keys),
    statement(
      `WITH gone AS (DELETE FROM side_state WHERE session = ANY ($1::bigint[]) RETURNING value)
       DELETE FROM side_value USING gone WHERE side_value.key = gone.value AND NOT EXISTS (
         SELECT 1 FROM side_state WHERE value = side_value.key AND NOT session = ANY ($1::bigint[]))`,
      keys,
    ),
  ];
  return { answer: { done: keys.length < limit }, writes };
}

/** Counts the first rows of a range; `last` is the last one's number. */
async function measured(
  sql: Sql,
  range: LogRange,
  limit: number,
): Promise<{ readonly step: RangeStep; readonly last: number }> {
  const { writer, lo, hi } = range;
  const rows = await sql.query(
    `SELECT seq, coalesce(octet_length(body), 0) AS bytes FROM message
     WHERE session = $1 AND seq >= $2 AND seq < $3 ORDER BY seq LIMIT $4`,
    [writer, lo, hi, limit],
  );
  const last = rows.at(-1);
  if (last === undefined) return { step: { rows: 0, bytes: 0, refs: [], next: null }, last: lo - 1 };
  const lastSeq = integerOf(last, "seq");
  const refs = await sql.query("SELECT digest FROM blob_ref WHERE session = $1 AND seq >= $2 AND seq <= $3", [
    writer,
    lo,
    lastSeq,
  ]);
  const bytes = rows.reduce((sum, row) => sum + integerOf(row, "bytes"), 0);
  const next = rows.length < limit ? null : lastSeq + 1;
  return {
    step: { rows: rows.length, bytes, refs: refs.map((row) => textOf(row, "digest")), next },
    last: lastSeq,
  };
}

/**
 * Removes unless something has come to reach the rows since they were surveyed: a fork that read them before they were
 * cancelled and has committed after. No fork is under way meanwhile.
 */
async function removed(
  sql: Sql,
  range: LogRange,
  { limit, epoch }: { readonly limit: number; readonly epoch: number },
): Promise<Decision<RangeStep | undefined>> {
  const { step, last } = await measured(sql, range, limit);
  const [now, isReached] = await Promise.all([readEpoch(sql), reaches(sql, range, last)]);
  if (now !== epoch || isReached) return { answer: undefined, writes: [] };
  const within = "session = $1 AND seq >= $2 AND seq <= $3";
  const writes = ["message", "blob_ref", "context_mark", "message_copy"].map((table) =>
    statement(`DELETE FROM ${table} WHERE ${within}`, range.writer, range.lo, last),
  );
  const forgotten = statement(
    "DELETE FROM blob_gone WHERE NOT EXISTS (SELECT 1 FROM blob_ref WHERE blob_ref.digest = blob_gone.digest)",
  );
  return { answer: step, writes: [...writes, forgotten] };
}

/** True when some session's spans hold a row of the range up to `last`. */
async function reaches(sql: Sql, { writer, lo }: LogRange, last: number): Promise<boolean> {
  const rows = await sql.query(
    `SELECT 1 FROM span JOIN session ON session.key = span.session
     WHERE span.writer = $1 AND span.lo <= $3 AND session.state <> 'tombstone'
       AND span.lo - span.start + coalesce((SELECT min(later.start) FROM span AS later
         WHERE later.session = span.session AND later.start > span.start), session.len) > $2 LIMIT 1`,
    [writer, lo, last],
  );
  return rows.length > 0;
}
