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
import { countRebase, readGeneration } from "./generation.ts";
import { insertRows, readRows } from "./messages.ts";
import { textOf } from "./rows.ts";
import { stateNumber } from "./rows.ts";
import { requireSession } from "./session-rows.ts";
import { readSpans, sliceSpans, type StoredSpan } from "./spans.ts";
import type { StoreConnection } from "./store-connection.ts";
import type { StoreContext } from "./store-context.ts";

/** The steps of a rebase on a store file. */
export function rebaseSteps<M>({ connection, commits }: StoreContext<M>): RebaseSteps {
  return {
    deepSessions: (after, limit) => connection.read(() => deepSessions(connection, after, limit)),
    begin: (sessionId) => commits.submit(() => begin(connection, sessionId)),
    copy: (job, rows) => commits.submit(() => copy(connection, job, rows)),
    finish: (job) => commits.submit(() => finish(connection, job)),
  };
}

function deepSessions(connection: StoreConnection, after: number, limit: number): WalkPage<string> {
  const rows = connection
    .statement(
      `SELECT session.key, session.id FROM session WHERE session.key > ? AND state <> ${stateNumber("tombstone")}
         AND (SELECT count(*) FROM span WHERE span.session = session.key) > ${maxSpans}
       ORDER BY session.key LIMIT ?`,
    )
    .all(after, limit);
  const last = rows.at(-1);
  const next = rows.length < limit || last === undefined ? null : integerOf(last, "key");
  return { items: rows.map((row) => textOf(row, "id")), next };
}

function begin(connection: StoreConnection, sessionId: string): RebaseJob | undefined {
  const session = requireSession(connection, sessionId);
  const spans = session.record.state === "tombstone" ? [] : readSpans(connection, session);
  const runs = planRuns(spans);
  if (runs.length === 0) return undefined;
  connection
    .statement("UPDATE session SET next_seq = next_seq + ? WHERE key = ?")
    .run(runRows(runs), session.key);
  connection.known.forget();
  const generation = readGeneration(connection);
  return { sessionId, generation, spans, runs, lo: session.record.nextSeq };
}

function copy(
  connection: StoreConnection,
  job: RebaseJob,
  rows: { readonly done: number; readonly limit: number },
): void {
  const { key } = requireSession(connection, job.sessionId);
  let seq = job.lo + rows.done;
  for (const { start, end } of sliceRuns(job.runs, rows)) {
    for (const span of sliceSpans(job.spans as readonly StoredSpan[], start, end)) {
      const shift = seq - span.lo;
      const copies = readRows(connection, span).map((row) => ({ ...row, seq: row.seq + shift }));
      insertRows(connection, key, copies);
      copyBeside(connection, span, { key, lo: seq });
      seq += span.hi - span.lo;
    }
  }
}

/** Copies blob references and marks of a span's rows, and notes where each row came from first. */
function copyBeside(
  connection: StoreConnection,
  span: StoredSpan,
  target: { readonly key: number; readonly lo: number },
): void {
  const within = "session = ?3 AND seq >= ?4 AND seq < ?5";
  const values = [target.key, target.lo - span.lo, span.writerKey, span.lo, span.hi] as const;
  for (const sql of [
    `INSERT INTO blob_ref (session, seq, digest) SELECT ?1, seq + ?2, digest FROM blob_ref WHERE ${within}`,
    `INSERT INTO context_mark (session, seq, summarises, keep_from, created_at)
     SELECT ?1, seq + ?2, summarises, keep_from, created_at FROM context_mark WHERE ${within}`,
    `INSERT INTO message_copy (session, seq, origin_session, origin_seq)
     SELECT ?1, message.seq + ?2, coalesce(origin_session, message.session), coalesce(origin_seq, message.seq)
     FROM message LEFT JOIN message_copy AS earlier ON earlier.session = message.session AND earlier.seq = message.seq
     WHERE message.session = ?3 AND message.seq >= ?4 AND message.seq < ?5`,
  ]) {
    connection.statement(sql).run(...values);
  }
}

function finish(connection: StoreConnection, job: RebaseJob): boolean {
  const session = requireSession(connection, job.sessionId);
  if (readGeneration(connection) !== job.generation) return false;
  if (!isUnchanged(job, readSpans(connection, session)) || !hasCopies(connection, session.key, job))
    return false;
  countRebase(connection);
  let { lo } = job;
  for (const { start, end } of job.runs) {
    connection
      .statement("DELETE FROM span WHERE session = ? AND start >= ? AND start < ?")
      .run(session.key, start, end);
    connection
      .statement("INSERT INTO span (session, start, writer, lo) VALUES (?, ?, ?, ?)")
      .run(session.key, start, session.key, lo);
    lo += end - start;
  }
  return true;
}

function hasCopies(connection: StoreConnection, key: number, { runs, lo }: RebaseJob): boolean {
  const rows = runRows(runs);
  const row = connection
    .statement("SELECT count(*) AS copies FROM message WHERE session = ? AND seq >= ? AND seq < ?")
    .get(key, lo, lo + rows);
  return integerOf(row!, "copies") === rows;
}
