import type { CancelMark, ContextMark } from "@mobkit/session";
import { integerOf } from "@mobkit/session/rules";
import { textOf } from "./rows.ts";
import type { StoredSession } from "./session-rows.ts";
import { statement, type Sql, type SqlRow, type SqlStatement } from "./sql.ts";

/** Keeps a compaction with its summary row. */
export function addContextMark(
  row: { readonly key: number; readonly seq: number },
  mark: ContextMark,
): SqlStatement {
  return statement(
    "INSERT INTO context_mark (session, seq, summarises, keep_from, created_at) VALUES ($1, $2, $3, $4, $5)",
    row.key,
    row.seq,
    mark.summarises,
    mark.keepFrom,
    mark.createdAt,
  );
}

/** The latest compaction whose summary row the transcript holds. */
export async function latestContextMark(
  sql: Sql,
  { spans }: StoredSession,
): Promise<ContextMark | undefined> {
  const [row] = await sql.query(
    `SELECT mark.*, span.start + mark.seq - span.lo AS position
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS span (start, writer, lo, hi)
     JOIN context_mark AS mark ON mark.session = span.writer AND mark.seq >= span.lo AND mark.seq < span.hi
     ORDER BY position DESC LIMIT 1`,
    [
      spans.map(({ start }) => start),
      spans.map(({ writerKey }) => writerKey),
      spans.map(({ lo }) => lo),
      spans.map(({ hi }) => hi),
    ],
  );
  if (row === undefined) return undefined;
  return Object.freeze({
    position: integerOf(row, "position"),
    summarises: integerOf(row, "summarises"),
    keepFrom: integerOf(row, "keep_from"),
    createdAt: integerOf(row, "created_at"),
  });
}

/** Keeps a rollback. */
export function addCancelMark(session: number, mark: CancelMark): SqlStatement {
  return statement(
    `INSERT INTO cancel_mark (session, rev, from_len, to_len, digest, reason, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    session,
    mark.rev,
    mark.from,
    mark.to,
    mark.digest,
    mark.reason,
    mark.createdAt,
  );
}

/** A session's own rollbacks, oldest first. */
export async function readCancelMarks(sql: Sql, session: number): Promise<readonly CancelMark[]> {
  const rows = await sql.query("SELECT * FROM cancel_mark WHERE session = $1 ORDER BY rev", [session]);
  return Object.freeze(rows.map(cancelMarkOf));
}

function cancelMarkOf(row: SqlRow): CancelMark {
  return Object.freeze({
    from: integerOf(row, "from_len"),
    to: integerOf(row, "to_len"),
    digest: textOf(row, "digest"),
    reason: textOf(row, "reason"),
    rev: integerOf(row, "rev"),
    createdAt: integerOf(row, "created_at"),
  });
}
