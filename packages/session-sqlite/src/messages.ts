import { emptyUsage } from "@basis/core";
import type { MessageKind, PrefixRecord, RowHeader, StoredRow } from "@mobkit/session";
import { type BoundaryRow, emptyDigest, integerOf, packUsage, usageOf } from "@mobkit/session/rules";
import type { SqlRow } from "./driver.ts";
import { idKey, pack, packOptional, spelled, unpackSpelled } from "./packed-text.ts";
import { textOf } from "./rows.ts";
import type { StoredSession } from "./session-rows.ts";
import { timeBeside, timeFrom } from "./short-times.ts";
import { turnOf } from "./turns.ts";
import { positionIn, readSpans, type StoredSpan } from "./spans.ts";
import type { StoreConnection } from "./store-connection.ts";

const kinds: readonly MessageKind[] = ["system", "user", "assistant", "tool"];

/** Adds rows to a session's log. */
export function insertRows(connection: StoreConnection, key: number, rows: readonly StoredRow[]): void {
  const insert = connection.statement(
    `INSERT INTO message (session, seq, position, id, turn, kind, digest, open_after, usage_after, rev, created_at, salt, blob, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const row of rows) {
    insert.run(
      key,
      row.seq,
      row.position === row.seq ? null : row.position,
      pack(row.id),
      row.turnId === null ? null : turnOf(connection, { key, seq: row.seq }, row.turnId),
      kinds.indexOf(row.kind),
      pack(row.digest),
      row.openAfter,
      packUsage(row.usageAfter),
      row.rev,
      timeBeside(row.id, row.createdAt),
      packOptional(row.salt),
      packOptional(row.blob),
      row.bodyText,
    );
  }
}

/** What a row tells beside its body, as one JSON text: a driver charges for every column. */
const facts = `json_array(seq, position, kind, open_after, usage_after, rev, created_at,
  ${spelled("message.id")}, ${spelled("turn.id")}, ${spelled("digest")}, ${spelled("salt")}, ${spelled("blob")})`;

type Facts = readonly [
  ...numbers: [number, number | null, number, number, string | null, number, number],
  ...texts: [string, string | null, string, string | null, string | null],
];

/** Rows `lo` to `hi - 1` of a span's writer. Long bodies stay in their blobs. */
export function readRows(connection: StoreConnection, span: StoredSpan): readonly StoredRow[] {
  return connection
    .statement(
      `SELECT ${facts} AS facts, body FROM message
       LEFT JOIN turn ON turn.session = message.session AND turn.first_seq = message.turn
       WHERE message.session = ? AND seq >= ? AND seq < ? ORDER BY seq`,
    )
    .all(span.writerKey, span.lo, span.hi)
    .map((row) => storedRow(row, span.writer));
}

function storedRow(row: SqlRow, writer: string): StoredRow {
  const [seq, position, kind, openAfter, usage, rev, createdAt, spelledId, turnId, digest, salt, blob] =
    JSON.parse(row["facts"] as string) as Facts;
  const id = unpackSpelled(spelledId);
  return {
    writer,
    seq,
    position: position ?? seq,
    id,
    turnId: turnId && unpackSpelled(turnId),
    kind: kinds[kind]!,
    digest: unpackSpelled(digest),
    openAfter,
    usageAfter: usage === null ? emptyUsage : usageOf({ usage }, "usage"),
    rev,
    createdAt: timeFrom(id, createdAt),
    bodyText: row["body"] as string | null,
    blob: blob && unpackSpelled(blob),
    salt: salt && unpackSpelled(salt),
  };
}

/** What a row says about the length after it as a boundary. */
export type BoundaryFacts = BoundaryRow & Pick<RowHeader, "usageAfter">;

/** The row at position ?1 of session ?2. */
export const boundaryPlace = `(SELECT writer, lo + ?1 - start AS place FROM span WHERE session = ?2 AND start <= ?1 ORDER BY start DESC LIMIT 1)
  JOIN message ON message.session = writer AND seq = place`;

/** The columns of that row that `boundaryOf` reads. */
export const boundaryColumns = "digest, open_after, usage_after";

/** What the row before a length says about that length as a boundary; undefined for 0 and beyond the end. */
export function boundaryRow(
  connection: StoreConnection,
  session: StoredSession,
  length: number,
): BoundaryFacts | undefined {
  if (length < 1 || length > session.record.len) return undefined;
  return boundaryOf(
    connection.statement(`SELECT ${boundaryColumns} FROM ${boundaryPlace}`).get(length - 1, session.key)!,
  );
}

/** A row of `boundaryColumns`. */
export function boundaryOf(row: SqlRow): BoundaryFacts {
  return {
    digest: textOf(row, "digest"),
    openAfter: integerOf(row, "open_after"),
    usageAfter: usageOf(row, "usage_after"),
  };
}

const beginning: BoundaryFacts = Object.freeze({
  digest: emptyDigest,
  openAfter: 0,
  usageAfter: emptyUsage,
});

/** The prefix of a length that the session has. */
export function prefixRecord(
  connection: StoreConnection,
  session: StoredSession,
  length: number,
): PrefixRecord {
  return prefixOf(connection, session, { length, row: boundaryRow(connection, session, length) });
}

/** The prefix of a length whose last row was read; of none at the length 0. */
export function prefixOf(
  connection: StoreConnection,
  session: StoredSession,
  { length, row = beginning }: { readonly length: number; readonly row: BoundaryFacts | undefined },
): PrefixRecord {
  const { digest, openAfter, usageAfter: usage } = row;
  const settled = openAfter === 0;
  const spans = settled ? [] : readSpans(connection, session);
  return Object.freeze({
    length,
    digest,
    openAfter,
    usage,
    nearestBefore: settled
      ? length
      : (nearestSettled(connection, spans.toReversed(), { below: length }) ?? 0),
    nearestAfter: settled ? length : (nearestSettled(connection, spans, { from: length }) ?? null),
  });
}

/** Which positions to look at, from the nearest on. */
type Search = { readonly below: number } | { readonly from: number };

/** The length after the nearest row with nothing open. `spans` come in the order of the search. */
function nearestSettled(
  connection: StoreConnection,
  spans: readonly StoredSpan[],
  search: Search,
): number | undefined {
  const back = "below" in search;
  const found = connection.statement(
    `SELECT seq FROM message WHERE session = ? AND seq >= ? AND seq < ? AND open_after = 0
     ORDER BY seq ${back ? "DESC" : "ASC"} LIMIT 1`,
  );
  for (const span of spans) {
    const end = span.start + span.hi - span.lo;
    const first = back ? span.start : Math.max(span.start, search.from);
    const beyond = back ? Math.min(end, search.below) : end;
    const row =
      first < beyond &&
      found.get(span.writerKey, span.lo + first - span.start, span.lo + beyond - span.start);
    if (row) return span.start + integerOf(row, "seq") - span.lo + 1;
  }
  return undefined;
}

/** The numbers of the rows of session ?1 that have the id ?2. */
export const findById: string = `SELECT seq FROM message WHERE session = ?1 AND ${idKey("id")} = ${idKey("?2")} AND id = ?2`;

/** The position of the transcript's message with an id. */
export function positionOfMessage(
  connection: StoreConnection,
  spans: readonly StoredSpan[],
  id: string,
): number | undefined {
  const packed = pack(id);
  const found = connection.statement(findById);
  for (const writerKey of new Set(spans.map((span) => span.writerKey))) {
    for (const row of found.all(writerKey, packed)) {
      const position = positionIn(spans, { writerKey, seq: integerOf(row, "seq") });
      if (position !== undefined) return position;
    }
  }
  return undefined;
}
