import { emptyUsage } from "@basis/core";
import type { MessageKind, PrefixRecord, RowHeader, StoredRow } from "@mobkit/session";
import { type BoundaryRow, emptyDigest, integerOf, usageOf } from "@mobkit/session/rules";
import { optionalText, textOf } from "./rows.ts";
import { placeOf, type StoredSpan } from "./spans.ts";
import type { Sql, SqlRow } from "./sql.ts";

/** Rows `lo` to `hi - 1` of a span's writer. Long bodies stay in their blobs. */
export async function readRows(sql: Sql, span: StoredSpan): Promise<readonly StoredRow[]> {
  const rows = await sql.query(
    "SELECT * FROM message WHERE session = $1 AND seq >= $2 AND seq < $3 ORDER BY seq",
    [span.writerKey, span.lo, span.hi],
  );
  return rows.map((row) => ({
    ...headerOf(row, span.writer),
    bodyText: optionalText(row, "body"),
    blob: optionalText(row, "blob"),
    salt: optionalText(row, "salt"),
  }));
}

function headerOf(row: SqlRow, writer: string): RowHeader {
  return {
    writer,
    seq: integerOf(row, "seq"),
    position: integerOf(row, "position"),
    id: textOf(row, "id"),
    turnId: optionalText(row, "turn_id"),
    kind: textOf(row, "kind") as MessageKind,
    digest: textOf(row, "digest"),
    openAfter: integerOf(row, "open_after"),
    usageAfter: usageOf(row, "usage_after"),
    rev: integerOf(row, "rev"),
    createdAt: integerOf(row, "created_at"),
  };
}

/** What the row before a length says about that length as a boundary; undefined for 0 and beyond the end. */
export async function boundaryRow(
  sql: Sql,
  spans: readonly StoredSpan[],
  length: number,
): Promise<(BoundaryRow & Pick<RowHeader, "usageAfter">) | undefined> {
  const place = placeOf(spans, length - 1);
  if (place === undefined) return undefined;
  const [row] = await sql.query(
    "SELECT digest, open_after, usage_after FROM message WHERE session = $1 AND seq = $2",
    [place.writerKey, place.seq],
  );
  return {
    digest: textOf(row!, "digest"),
    openAfter: integerOf(row!, "open_after"),
    usageAfter: usageOf(row!, "usage_after"),
  };
}

const nothing = { digest: emptyDigest, openAfter: 0, usageAfter: emptyUsage };

/** The prefix of a length that the spans have. */
export async function prefixRecord(
  sql: Sql,
  spans: readonly StoredSpan[],
  length: number,
): Promise<PrefixRecord> {
  const { digest, openAfter, usageAfter: usage } = (await boundaryRow(sql, spans, length)) ?? nothing;
  const settled = openAfter === 0;
  const nearestBefore = settled
    ? length
    : ((await nearestSettled(sql, spans.toReversed(), { below: length })) ?? 0);
  const nearestAfter = settled ? length : ((await nearestSettled(sql, spans, { from: length })) ?? null);
  return Object.freeze({ length, digest, openAfter, usage, nearestBefore, nearestAfter });
}

/** Which positions to look at, from the nearest on. */
type Search = { readonly below: number } | { readonly from: number };

/** The length after the nearest row with nothing open. `spans` come in the order of the search. */
async function nearestSettled(
  sql: Sql,
  spans: readonly StoredSpan[],
  search: Search,
): Promise<number | undefined> {
  const back = "below" in search;
  for (const span of spans) {
    const end = span.start + span.hi - span.lo;
    const first = back ? span.start : Math.max(span.start, search.from);
    const beyond = back ? Math.min(end, search.below) : end;
    if (first >= beyond) continue;
    const [row] = await sql.query(
      `SELECT seq FROM message WHERE session = $1 AND seq >= $2 AND seq < $3 AND open_after = 0
       ORDER BY seq ${back ? "DESC" : "ASC"} LIMIT 1`,
      [span.writerKey, span.lo + first - span.start, span.lo + beyond - span.start],
    );
    if (row) return span.start + integerOf(row, "seq") - span.lo + 1;
  }
  return undefined;
}

/** What a transcript is searched for: a message's own id, or the turn whose last message is meant. */
export type RowName = { readonly messageId: string } | { readonly turnId: string };

/** The last position of a message or a turn in a transcript. */
export async function positionOf(
  sql: Sql,
  spans: readonly StoredSpan[],
  name: RowName,
): Promise<number | undefined> {
  const column = "messageId" in name ? "id" : "turn_id";
  const [row] = await sql.query(
    `SELECT span.start + message.seq - span.lo AS position
     FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) AS span (start, writer, lo, hi)
     CROSS JOIN LATERAL (
       SELECT seq FROM message WHERE session = span.writer AND ${column} = $1 AND seq >= span.lo AND seq < span.hi
       ORDER BY seq DESC LIMIT 1) AS message
     ORDER BY position DESC LIMIT 1`,
    [
      "messageId" in name ? name.messageId : name.turnId,
      spans.map(({ start }) => start),
      spans.map(({ writerKey }) => writerKey),
      spans.map(({ lo }) => lo),
      spans.map(({ hi }) => hi),
    ],
  );
  return row && integerOf(row, "position");
}
