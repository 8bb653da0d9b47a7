import {
  type RebaseJob,
  type RebaseSteps,
  type WalkPage,
  integerOf,
  isUnchanged,
  maxSpans,
  planRuns,
  runRows,
  sliceRuns,
} from "@mobkit/session/rules";
import { countOn, readGeneration } from "./generation.ts";
import { textOf } from "./rows.ts";
import { requireSession } from "./session-rows.ts";
import { sliceOf, type StoredSpan } from "./spans.ts";
import { statement, type Sql, type SqlStatement } from "./sql.ts";
import type { StoreContext } from "./store-context.ts";
import type { Decision } from "./transactions.ts";
import { shareUpkeep } from "./upkeep-lock.ts";

/** The steps of a rebase. Each shares the upkeep's lock, so that no redaction misses a copy that is on its way. */
export function rebaseSteps<M>({ transactions, cache, server }: StoreContext<M>): RebaseSteps {
  const { schema } = server.options;
  const step = <T>(sessionId: string, decide: (sql: Sql) => Promise<Decision<T>>): Promise<T> => {
    cache.forget(sessionId);
    return transactions.write(async (sql) => {
      await shareUpkeep(sql, schema);
      return decide(sql);
    });
  };
  return {
    deepSessions: (after, limit) => transactions.read((sql) => deepSessions(sql, after, limit)),
    begin: (sessionId) => step(sessionId, (sql) => begin(sql, sessionId)),
    copy: (job, rows) => step(job.sessionId, (sql) => copy(sql, job, rows)),
    finish: (job) => step(job.sessionId, (sql) => finish(sql, job)),
  };
}

async function deepSessions(sql: Sql, after: number, limit: number): Promise<WalkPage<string>> {
  const rows = await sql.query(
    `SELECT session.key, session.id FROM session WHERE session.key > $1 AND state <> 'tombstone'
       AND (SELECT count(*) FROM span WHERE span.session = session.key) > $3 ORDER BY session.key LIMIT $2`,
    [after, limit, maxSpans],
  );
  const last = rows.at(-1);
  const next = rows.length < limit || last === undefined ? null : integerOf(last, "key");
  return { items: rows.map((row) => textOf(row, "id")), next };
}

async function begin(sql: Sql, sessionId: string): Promise<Decision<RebaseJob | undefined>> {
  const session = await requireSession(sql, sessionId, "write");
  const spans = session.record.state === "tombstone" ? [] : session.spans;
  const runs = planRuns(spans);
  if (runs.length === 0) return { answer: undefined, writes: [] };
  const generation = await readGeneration(sql);
  const setAside = statement(
    "UPDATE session SET version = version + 1, next_seq = next_seq + $2 WHERE key = $1",
    session.key,
    runRows(runs),
  );
  return {
    answer: { sessionId, generation, spans, runs, lo: session.record.nextSeq },
    writes: [setAside],
  };
}

async function copy(
  sql: Sql,
  job: RebaseJob,
  rows: { readonly done: number; readonly limit: number },
): Promise<Decision<undefined>> {
  const { key } = await requireSession(sql, job.sessionId);
  const writes: SqlStatement[] = [];
  let seq = job.lo + rows.done;
  for (const { start, end } of sliceRuns(job.runs, rows)) {
    for (const span of sliceOf(job.spans as readonly StoredSpan[], start, end)) {
      writes.push(...copyOf(span, { key, lo: seq }));
      seq += span.hi - span.lo;
    }
  }
  return { answer: undefined, writes };
}

/** Copies a span's rows with their blob references and marks, and notes where each row came from first. */
function copyOf(span: StoredSpan, target: { readonly key: number; readonly lo: number }): SqlStatement[] {
  const values = [target.key, target.lo - span.lo, span.writerKey, span.lo, span.hi] as const;
  const within = "session = $3 AND seq >= $4 AND seq < $5";
  return [
    `INSERT INTO message (session, seq, position, id, turn_id, kind, digest, open_after, usage_after, rev, created_at,
       salt, blob, body)
     SELECT $1, seq + $2::bigint, position, id, turn_id, kind, digest, open_after, usage_after, rev, created_at, salt, blob,
       body FROM message WHERE ${within}`,
    `INSERT INTO blob_ref (session, seq, digest)
     SELECT $1, seq + $2::bigint, digest FROM blob_ref WHERE ${within}`,
    `INSERT INTO context_mark (session, seq, summarises, keep_from, created_at)
     SELECT $1, seq + $2::bigint, summarises, keep_from, created_at FROM context_mark WHERE ${within}`,
    `INSERT INTO message_copy (session, seq, origin_session, origin_seq)
     SELECT $1, message.seq + $2::bigint, coalesce(origin_session, message.session), coalesce(origin_seq, message.seq)
     FROM message LEFT JOIN message_copy AS earlier ON earlier.session = message.session AND earlier.seq = message.seq
     WHERE message.session = $3 AND message.seq >= $4 AND message.seq < $5`,
  ].map((text) => statement(text, ...values));
}

async function finish(sql: Sql, job: RebaseJob): Promise<Decision<boolean>> {
  const { key, spans } = await requireSession(sql, job.sessionId, "write");
  const [generation, isWhole] = await Promise.all([readGeneration(sql), hasCopies(sql, key, job)]);
  if (generation !== job.generation || !isWhole || !isUnchanged(job, spans)) {
    return { answer: false, writes: [] };
  }
  let { lo } = job;
  const replaced = job.runs.flatMap(({ start, end }) => {
    const from = lo;
    lo += end - start;
    return [
      statement("DELETE FROM span WHERE session = $1 AND start >= $2 AND start < $3", key, start, end),
      statement("INSERT INTO span (session, start, writer, lo) VALUES ($1, $2, $1, $3)", key, start, from),
    ];
  });
  const moved = statement("UPDATE session SET version = version + 1 WHERE key = $1", key);
  return { answer: true, writes: [...replaced, moved, countOn("rebases")] };
}

async function hasCopies(sql: Sql, key: number, { runs, lo }: RebaseJob): Promise<boolean> {
  const rows = runRows(runs);
  const [row] = await sql.query(
    "SELECT count(*) AS copies FROM message WHERE session = $1 AND seq >= $2 AND seq < $3",
    [key, lo, lo + rows],
  );
  return integerOf(row!, "copies") === rows;
}
