import type { CancelMark, ContextMark } from "@mobkit/session";
import { integerOf } from "@mobkit/session/rules";
import type { SqlRow } from "./driver.ts";
import { pack } from "./packed-text.ts";
import { textOf } from "./rows.ts";
import type { StoredSession } from "./session-rows.ts";
import { readSpans } from "./spans.ts";
import type { StoreConnection } from "./store-connection.ts";

/** Keeps a compaction with its summary row. */
export function addContextMark(
  connection: StoreConnection,
  row: { readonly key: number; readonly seq: number },
  mark: ContextMark,
): void {
  connection
    .statement(
      "INSERT INTO context_mark (session, seq, summarises, keep_from, created_at) VALUES (?, ?, ?, ?, ?)",
    )
    .run(row.key, row.seq, mark.summarises, mark.keepFrom, mark.createdAt);
}

/** The latest compaction whose summary row the transcript holds. */
export function latestContextMark(
  connection: StoreConnection,
  session: StoredSession,
): ContextMark | undefined {
  const latest = connection.statement(
    "SELECT * FROM context_mark WHERE session = ? AND seq >= ? AND seq < ? ORDER BY seq DESC LIMIT 1",
  );
  for (const span of readSpans(connection, session).toReversed()) {
    const row = latest.get(span.writerKey, span.lo, span.hi);
    if (row === undefined) continue;
    return Object.freeze({
      position: span.start + integerOf(row, "seq") - span.lo,
      summarises: integerOf(row, "summarises"),
      keepFrom: integerOf(row, "keep_from"),
      createdAt: integerOf(row, "created_at"),
    });
  }
  return undefined;
}

/** Keeps a rollback. */
export function addCancelMark(connection: StoreConnection, session: number, mark: CancelMark): void {
  connection
    .statement(
      "INSERT INTO cancel_mark (session, rev, from_len, to_len, digest, reason, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    .run(session, mark.rev, mark.from, mark.to, pack(mark.digest), pack(mark.reason), mark.createdAt);
}

/** A session's own rollbacks, oldest first. */
export function readCancelMarks(connection: StoreConnection, session: number): readonly CancelMark[] {
  const rows = connection.statement("SELECT * FROM cancel_mark WHERE session = ? ORDER BY rev").all(session);
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
