import type { NewOutboxEvent, StoredRow } from "@mobkit/session";
import type { WritePlan } from "@mobkit/session/rules";
import { packFilled, packUsage } from "@mobkit/session/rules";
import { channelOf, noticeText } from "./notices.ts";
import { statement, type SqlStatement, type SqlValue } from "./sql.ts";
import type { RepeatableWrite } from "./write-ids.ts";

/** One fenced write, decided, and what it was decided on. */
export interface FencedWrite {
  readonly key: number;
  /** Of the session's row when it was read: with another one nothing is written. */
  readonly version: number;
  readonly plan: WritePlan;
  readonly events: readonly NewOutboxEvent[];
  readonly repeatable: RepeatableWrite | undefined;
  /** Null inside a transaction, which stores its own. */
  readonly commitId: string | null;
  readonly schema: string;
}

/**
 * All of a fenced write in one statement: the session's row by compare-and-set, with its lease, which the write may free;
 * and behind it the rows, the span they need, bodies, events, write id, commit mark and notice. Answers one row when it
 * wrote and none when it did not.
 */
const text = `
  WITH guard AS (
    UPDATE session SET version = version + 1, len = $3, settled_len = $4, open_calls = $5, next_seq = $6, rev = $7,
      head_digest = $8, run_turn = $9, queued_inputs = $10, pending_approvals = $11, request_head = $12,
      own_usage = $13, updated_at = $14, lease_owner = $39, lease_expires_at = $40,
      write_count = write_count + CASE WHEN $15::text IS NULL THEN 0 ELSE 1 END
    WHERE key = $1 AND version = $2 RETURNING key, write_count
  ), added AS (
    INSERT INTO message (session, seq, position, id, turn_id, kind, digest, open_after, usage_after, rev, created_at,
      salt, blob, body)
    SELECT guard.key, given.seq, given.position, given.id, given.turn_id, given.kind, given.digest, given.open_after,
      given.usage_after, $7, $14, given.salt, given.blob, given.body
    FROM guard, unnest($18::bigint[], $19::bigint[], $20::text[], $21::text[], $22::text[], $23::text[], $24::bigint[],
      $25::text[], $26::text[], $27::text[], $28::text[])
      AS given (seq, position, id, turn_id, kind, digest, open_after, usage_after, salt, blob, body)
  ), placed AS (
    INSERT INTO span (session, start, writer, lo)
    SELECT guard.key, $29::bigint, guard.key, $30::bigint FROM guard
    WHERE $29::bigint IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM (SELECT * FROM span WHERE session = $1 ORDER BY start DESC LIMIT 1) AS last
      WHERE last.writer = $1 AND last.lo + $29::bigint - last.start = $30::bigint)
  ), kept AS (
    INSERT INTO blob (digest, bytes, touched_at, content)
    SELECT DISTINCT ON (digest) digest, octet_length(content), $14, content
    FROM guard, unnest($31::text[], $32::bytea[]) AS given (digest, content)
    ON CONFLICT (digest) DO UPDATE SET touched_at = excluded.touched_at
  ), unmarked AS (
    DELETE FROM blob_mark USING guard WHERE blob_mark.digest = ANY ($31::text[])
  ), referred AS (
    INSERT INTO blob_ref (session, seq, digest)
    SELECT guard.key, given.seq, given.blob
    FROM guard, unnest($18::bigint[], $27::text[]) AS given (seq, blob) WHERE given.blob IS NOT NULL
  ), told AS (
    INSERT INTO outbox (key, session, kind, payload, created_at)
    SELECT given.key, guard.key, given.kind, given.payload, $14
    FROM guard, unnest($33::text[], $34::text[], $35::text[]) AS given (key, kind, payload)
    ON CONFLICT (key) DO NOTHING
  ), remembered AS (
    INSERT INTO write_id (session, id, ordinal, digest, result)
    SELECT guard.key, $15, guard.write_count, $16, $17 FROM guard WHERE $15::text IS NOT NULL
  ), marked AS (
    INSERT INTO commit_mark (id, made_at) SELECT $36, $14 FROM guard WHERE $36::text IS NOT NULL
  )
  SELECT pg_notify($37, $38) FROM guard`;

/** The statement of a fenced write. */
export function fencedWrite(write: FencedWrite): SqlStatement {
  const { plan, events, repeatable, commitId, schema } = write;
  const { session, rows, bodies, result } = plan;
  const first = rows[0];
  const values: SqlValue[] = [
    write.key,
    write.version,
    session.len,
    session.settledLen,
    packFilled(session.openCalls),
    session.nextSeq,
    session.rev,
    session.headDigest,
    session.runTurn,
    session.queuedInputs,
    session.pendingApprovals,
    session.requestHead,
    packUsage(session.usage.own),
    session.updatedAt,
    repeatable?.id ?? null,
    repeatable?.digest ?? null,
    repeatable === undefined ? null : JSON.stringify(result),
    ...rowValues(rows),
    first?.position ?? null,
    first?.seq ?? null,
    bodies.map(({ digest }) => digest),
    bodies.map((body) => Buffer.from(body.text, "utf8")),
    events.map(({ key }) => key),
    events.map(({ kind }) => kind),
    events.map(({ payload }) => JSON.stringify(payload)),
    commitId,
    channelOf(schema),
    noticeText(session),
    session.lease.owner,
    session.lease.expiresAt,
  ];
  return statement(text, ...values);
}

function rowValues(rows: readonly StoredRow[]): SqlValue[] {
  return [
    rows.map(({ seq }) => seq),
    rows.map(({ position }) => position),
    rows.map(({ id }) => id),
    rows.map(({ turnId }) => turnId),
    rows.map(({ kind }) => kind),
    rows.map(({ digest }) => digest),
    rows.map(({ openAfter }) => openAfter),
    rows.map(({ usageAfter }) => packUsage(usageAfter)),
    rows.map(({ salt }) => salt),
    rows.map(({ blob }) => blob),
    rows.map(({ bodyText }) => bodyText),
  ];
}
