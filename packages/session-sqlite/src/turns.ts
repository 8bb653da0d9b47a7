import { integerOf } from "@mobkit/session/rules";
import { pack } from "./packed-text.ts";
import type { StoredSpan } from "./spans.ts";
import type { StoreConnection } from "./store-connection.ts";

/**
 * The number by which a row names its turn: that of the turn's first row. Only a turn's first row writes anything, and
 * a row that goes back to an earlier turn.
 */
export function turnOf(
  connection: StoreConnection,
  row: { readonly key: number; readonly seq: number },
  turnId: string,
): number {
  const id = pack(turnId);
  const latest = connection
    .statement("SELECT first_seq, id = ? AS same FROM turn WHERE session = ? ORDER BY first_seq DESC LIMIT 1")
    .get(id, row.key);
  if (latest?.["same"] === 1) return integerOf(latest, "first_seq");
  const earlier = connection
    .statement("UPDATE turn SET resumed = 1 WHERE session = ? AND id = ? RETURNING first_seq")
    .get(row.key, id);
  if (earlier) return integerOf(earlier, "first_seq");
  connection
    .statement("INSERT INTO turn (session, first_seq, id) VALUES (?, ?, ?)")
    .run(row.key, row.seq, id);
  return row.seq;
}

/** The position of a turn's last message in a transcript. */
export function positionOfTurn(
  connection: StoreConnection,
  spans: readonly StoredSpan[],
  turnId: string,
): number | undefined {
  for (const span of spans.toReversed()) {
    const seq = lastOfTurn(connection, span, turnId);
    if (seq !== undefined) return span.start + seq - span.lo;
  }
  return undefined;
}

/** The last row of a turn in a span: looked for backwards from where the next turn began, so at once in general. */
function lastOfTurn(connection: StoreConnection, span: StoredSpan, turnId: string): number | undefined {
  const turn = connection
    .statement("SELECT first_seq, resumed FROM turn WHERE session = ? AND id = ?")
    .get(span.writerKey, pack(turnId));
  if (turn === undefined) return undefined;
  const first = integerOf(turn, "first_seq");
  const next = turn["resumed"] === 0 ? nextTurn(connection, span.writerKey, first) : undefined;
  const row = connection
    .statement(
      "SELECT seq FROM message WHERE session = ? AND seq >= ? AND seq < ? AND turn = ? ORDER BY seq DESC LIMIT 1",
    )
    .get(span.writerKey, Math.max(first, span.lo), Math.min(next ?? span.hi, span.hi), first);
  return row && integerOf(row, "seq");
}

/** The first row of the turn that began after another. */
function nextTurn(connection: StoreConnection, session: number, first: number): number | undefined {
  const row = connection
    .statement("SELECT first_seq FROM turn WHERE session = ? AND first_seq > ? ORDER BY first_seq LIMIT 1")
    .get(session, first);
  return row && integerOf(row, "first_seq");
}
