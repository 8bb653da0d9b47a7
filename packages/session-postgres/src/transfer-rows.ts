import type { ContextMark, StoredRow, TransferRow } from "@mobkit/session";
import { integerOf, packUsage } from "@mobkit/session/rules";
import { readRows } from "./messages.ts";
import { textOf } from "./rows.ts";
import type { StoredSpan } from "./spans.ts";
import { statement, type Sql, type SqlRow, type SqlStatement } from "./sql.ts";

/** The rows of a span as they are stored, with the blobs and compactions that belong to them. One round trip. */
export async function readTransferRows(sql: Sql, span: StoredSpan): Promise<readonly TransferRow[]> {
  const { writerKey, lo, hi } = span;
  const within = "WHERE session = $1 AND seq >= $2 AND seq < $3";
  const [rows, references, marks] = await Promise.all([
    readRows(sql, span),
    sql.query(`SELECT seq, digest FROM blob_ref ${within} ORDER BY digest`, [writerKey, lo, hi]),
    sql.query(`SELECT * FROM context_mark ${within}`, [writerKey, lo, hi]),
  ]);
  const blobs = blobsBySeq(references);
  const markOf = new Map(marks.map((row) => [integerOf(row, "seq"), row]));
  return rows.map((row) => {
    const beside = (blobs.get(row.seq) ?? []).filter((digest) => digest !== row.blob);
    return Object.freeze({
      row: Object.freeze(row),
      blobs: Object.freeze(beside),
      mark: markAt(markOf.get(row.seq), row.position),
    });
  });
}

function blobsBySeq(references: readonly SqlRow[]): Map<number, string[]> {
  const bySeq = new Map<number, string[]>();
  for (const row of references) {
    const seq = integerOf(row, "seq");
    bySeq.set(seq, [...(bySeq.get(seq) ?? []), textOf(row, "digest")]);
  }
  return bySeq;
}

function markAt(row: SqlRow | undefined, position: number): ContextMark | null {
  if (row === undefined) return null;
  return Object.freeze({
    position,
    summarises: integerOf(row, "summarises"),
    keepFrom: integerOf(row, "keep_from"),
    createdAt: integerOf(row, "created_at"),
  });
}

/** Adds rows to a session's log as they are. */
export function insertRows(key: number, rows: readonly StoredRow[]): SqlStatement {
  return statement(
    `INSERT INTO message (session, seq, position, id, turn_id, kind, digest, open_after, usage_after, rev, created_at,
       salt, blob, body)
     SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[],
       $9::text[], $10::bigint[], $11::bigint[], $12::text[], $13::text[], $14::text[])`,
    key,
    rows.map(({ seq }) => seq),
    rows.map(({ position }) => position),
    rows.map(({ id }) => id),
    rows.map(({ turnId }) => turnId),
    rows.map(({ kind }) => kind),
    rows.map(({ digest }) => digest),
    rows.map(({ openAfter }) => openAfter),
    rows.map(({ usageAfter }) => packUsage(usageAfter)),
    rows.map(({ rev }) => rev),
    rows.map(({ createdAt }) => createdAt),
    rows.map(({ salt }) => salt),
    rows.map(({ blob }) => blob),
    rows.map(({ bodyText }) => bodyText),
  );
}
