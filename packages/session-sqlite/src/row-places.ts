import { integerOf, invalidRequest } from "@mobkit/session/rules";
import type { StoredRow } from "@mobkit/session";
import { findById, positionOfMessage, readRows } from "./messages.ts";
import { pack } from "./packed-text.ts";
import { sessionOfKey, type StoredSession } from "./session-rows.ts";
import { placeOf, positionIn, readSpans, type StoredPlace } from "./spans.ts";
import type { StoreConnection } from "./store-connection.ts";

/** One message with every place where its row is kept: where it was written, and its copies in rebased sessions. */
export interface PlacedRow {
  readonly row: StoredRow;
  readonly places: readonly StoredPlace[];
}

/** The message of an id that the transcript holds, or that the session cancelled. @throws SessionError `invalid_request`. */
export function placedRow(connection: StoreConnection, session: StoredSession, id: string): PlacedRow {
  const position = positionOfMessage(connection, readSpans(connection, session), id);
  const place =
    position === undefined ? ownPlace(connection, session.key, id) : placeOf(connection, session, position);
  const found = place && rowAt(connection, place);
  if (found !== undefined) return found;
  throw invalidRequest("messageIds", `names ${id}, which session ${session.record.id} does not have`);
}

function ownPlace(connection: StoreConnection, key: number, id: string): StoredPlace | undefined {
  const row = connection.statement(`${findById} ORDER BY seq DESC LIMIT 1`).get(key, pack(id));
  return row && { writerKey: key, seq: integerOf(row, "seq") };
}

/** The row at a place and at all others. */
export function rowAt(connection: StoreConnection, place: StoredPlace): PlacedRow | undefined {
  const { writerKey, seq } = place;
  const span = { writerKey, writer: "", lo: seq, hi: seq + 1, start: 0 };
  const [row] = readRows(connection, span);
  return row && { row, places: allPlaces(connection, place) };
}

function allPlaces(connection: StoreConnection, place: StoredPlace): StoredPlace[] {
  const from = connection
    .statement("SELECT origin_session, origin_seq FROM message_copy WHERE session = ? AND seq = ?")
    .get(place.writerKey, place.seq);
  const origin = from
    ? { writerKey: integerOf(from, "origin_session"), seq: integerOf(from, "origin_seq") }
    : place;
  const copies = connection
    .statement("SELECT session, seq FROM message_copy WHERE origin_session = ? AND origin_seq = ?")
    .all(origin.writerKey, origin.seq)
    .map((row) => ({ writerKey: integerOf(row, "session"), seq: integerOf(row, "seq") }));
  return [origin, ...copies];
}

/** The summary rows whose summary covers a row; one that no session reaches is taken in any case. */
export function summariesOver(connection: StoreConnection, covered: PlacedRow): PlacedRow[] {
  const marks = connection
    .statement("SELECT session, seq FROM context_mark WHERE summarises > ?")
    .all(covered.row.position);
  return marks.flatMap((mark) => {
    const place = { writerKey: integerOf(mark, "session"), seq: integerOf(mark, "seq") };
    const reader = readerOf(connection, place);
    const spans = reader && readSpans(connection, reader);
    const covers = !spans || covered.places.some((each) => positionIn(spans, each) === covered.row.position);
    const summary = covers ? rowAt(connection, place) : undefined;
    return summary ? [summary] : [];
  });
}

/** Some session whose transcript holds the row: every one of them has the same rows before it. */
function readerOf(connection: StoreConnection, place: StoredPlace): StoredSession | undefined {
  const candidates = connection
    .statement(
      "SELECT DISTINCT session FROM span WHERE writer = ?1 AND lo <= ?2 ORDER BY session <> ?1, session",
    )
    .all(place.writerKey, place.seq);
  for (const row of candidates) {
    const session = sessionOfKey(connection, integerOf(row, "session"));
    if (positionIn(readSpans(connection, session), place) !== undefined) return session;
  }
  return undefined;
}
