import type { StoredRow } from "@mobkit/session";
import { integerOf, invalidRequest } from "@mobkit/session/rules";
import { positionOf, readRows } from "./messages.ts";
import { findSession, type StoredSession } from "./session-rows.ts";
import { placeOf, positionIn, type StoredPlace } from "./spans.ts";
import type { Sql } from "./sql.ts";

/** One message with every place where its row is kept: where it was written, and its copies in rebased sessions. */
export interface PlacedRow {
  readonly row: StoredRow;
  readonly places: readonly StoredPlace[];
}

/** The message of an id that the transcript holds, or that the session cancelled. @throws SessionError `invalid_request`. */
export async function placedRow(sql: Sql, session: StoredSession, id: string): Promise<PlacedRow> {
  const position = await positionOf(sql, session.spans, { messageId: id });
  const place =
    position === undefined ? await ownPlace(sql, session.key, id) : placeOf(session.spans, position);
  const found = place && (await rowAt(sql, place));
  if (found !== undefined) return found;
  throw invalidRequest("messageIds", `names ${id}, which session ${session.record.id} does not have`);
}

async function ownPlace(sql: Sql, key: number, id: string): Promise<StoredPlace | undefined> {
  const [row] = await sql.query(
    "SELECT seq FROM message WHERE session = $1 AND id = $2 ORDER BY seq DESC LIMIT 1",
    [key, id],
  );
  return row && { writerKey: key, seq: integerOf(row, "seq") };
}

/** The row at a place and at all others. */
export async function rowAt(sql: Sql, place: StoredPlace): Promise<PlacedRow | undefined> {
  const { writerKey, seq } = place;
  const span = { writerKey, writer: "", lo: seq, hi: seq + 1, start: 0 };
  const [[row], places] = await Promise.all([readRows(sql, span), allPlaces(sql, place)]);
  return row && { row, places };
}

async function allPlaces(sql: Sql, place: StoredPlace): Promise<StoredPlace[]> {
  const rows = await sql.query(
    `WITH origin AS (
       SELECT coalesce(max(origin_session), $1::bigint) AS session, coalesce(max(origin_seq), $2::bigint) AS seq
       FROM message_copy WHERE session = $1 AND seq = $2)
     SELECT session, seq, 0 AS rank FROM origin UNION ALL
     SELECT copy.session, copy.seq, 1 FROM message_copy AS copy
       JOIN origin ON origin.session = copy.origin_session AND origin.seq = copy.origin_seq ORDER BY rank`,
    [place.writerKey, place.seq],
  );
  return rows.map((row) => ({ writerKey: integerOf(row, "session"), seq: integerOf(row, "seq") }));
}

/** The summary rows whose summary covers a row; one that no session reaches is taken in any case. */
export async function summariesOver(sql: Sql, covered: PlacedRow): Promise<PlacedRow[]> {
  const marks = await sql.query("SELECT session, seq FROM context_mark WHERE summarises > $1", [
    covered.row.position,
  ]);
  const summaries: PlacedRow[] = [];
  for (const mark of marks) {
    const place = { writerKey: integerOf(mark, "session"), seq: integerOf(mark, "seq") };
    const spans = (await readerOf(sql, place))?.spans;
    const covers = !spans || covered.places.some((each) => positionIn(spans, each) === covered.row.position);
    const summary = covers ? await rowAt(sql, place) : undefined;
    if (summary) summaries.push(summary);
  }
  return summaries;
}

/** Some session whose transcript holds the row: every one of them has the same rows before it. */
async function readerOf(sql: Sql, place: StoredPlace): Promise<StoredSession | undefined> {
  const candidates = await sql.query(
    "SELECT session FROM span WHERE writer = $1 AND lo <= $2 GROUP BY session ORDER BY session <> $1, session",
    [place.writerKey, place.seq],
  );
  for (const row of candidates) {
    const session = await findSession(sql, { key: integerOf(row, "session") });
    if (session && positionIn(session.spans, place) !== undefined) return session;
  }
  return undefined;
}
