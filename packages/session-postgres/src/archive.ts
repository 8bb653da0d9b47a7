import type {
  ArchivedCopy,
  ArchivedSession,
  ArchivedState,
  ArchiveProgress,
  OutboxEvent,
  SessionRecord,
  StoreArchive,
  TransferRow,
} from "@mobkit/session";
import { integerOf, isStaged, settledRecord, stagedRecord } from "@mobkit/session/rules";
import { addCancelMark, readCancelMarks } from "./marks.ts";
import { insertMember, reserveName } from "./members.ts";
import { insertOperation } from "./operation-rows.ts";
import { textOf } from "./rows.ts";
import { findSession, insertSession, nextKeySql, requireSession, updateSession } from "./session-rows.ts";
import { addState, readSideStates } from "./side-states.ts";
import { insertSpans } from "./spans.ts";
import { statement, type Sql, type SqlStatement } from "./sql.ts";
import type { StoreContext } from "./store-context.ts";
import { besideRow } from "./transfer.ts";
import { insertRows } from "./transfer-rows.ts";

/** Whole stores out of and into a schema. */
export function postgresArchive<M>({ transactions, cache }: StoreContext<M>): StoreArchive<M> {
  return {
    read: (sessionId, { signal } = {}) =>
      transactions.read(async (sql) => {
        const { key, spans } = await requireSession(sql, sessionId);
        const [cancelMarks, sideState, copies] = await Promise.all([
          readCancelMarks(sql, key),
          readStates(sql, sessionId, key),
          readCopies(sql, key),
        ]);
        const bare = spans.map(({ start, writer, lo, hi }) => ({ start, writer, lo, hi }));
        return { spans: bare, cancelMarks, sideState, copies };
      }, signal),
    progress: (sessionId, { signal } = {}) => transactions.read((sql) => progressOf(sql, sessionId), signal),
    stage: (session, rows, { signal } = {}) => {
      cache.forget(session.id);
      return transactions.write(async (sql) => {
        const writes = await stageRows(sql, session, rows);
        return { answer: undefined, writes };
      }, signal);
    },
    settle: (archived, { signal } = {}) => {
      cache.forget(archived.session.id);
      return transactions.write(async (sql) => {
        const writes = await settleSession(sql, archived);
        return { answer: undefined, writes };
      }, signal);
    },
    setGeneration: (generation, { signal } = {}) =>
      transactions.write(async () => {
        const set = `INSERT INTO store_meta (name, value) VALUES ('generation', $1)
          ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
        return { answer: undefined, writes: [statement(set, String(generation))] };
      }, signal),
  };
}

async function readStates(sql: Sql, sessionId: string, key: number): Promise<readonly ArchivedState[]> {
  const states = await readSideStates(sql, sessionId);
  const rows = await sql.query(
    `SELECT side_state.value, session.id FROM side_state JOIN session ON session.key = side_state.session
     WHERE side_state.value = ANY ($1::bigint[]) AND side_state.session = (
       SELECT min(session) FROM side_state AS any_of WHERE any_of.value = side_state.value) AND side_state.session < $2`,
    [states.map(({ value }) => value), key],
  );
  const firsts = new Map(rows.map((row) => [integerOf(row, "value"), textOf(row, "id")]));
  return states.map(({ value, state }) => ({ state, sharedWith: firsts.get(value) ?? null }));
}

async function readCopies(sql: Sql, key: number): Promise<readonly ArchivedCopy[]> {
  const rows = await sql.query(
    `SELECT seq, session.id AS writer, origin_seq FROM message_copy JOIN session ON session.key = origin_session
     WHERE message_copy.session = $1 ORDER BY seq`,
    [key],
  );
  return rows.map((row) => ({
    seq: integerOf(row, "seq"),
    writer: textOf(row, "writer"),
    writerSeq: integerOf(row, "origin_seq"),
  }));
}

async function progressOf(sql: Sql, sessionId: string): Promise<ArchiveProgress> {
  const found = await findSession(sql, { id: sessionId });
  if (found === undefined) return { kind: "absent" };
  if (!isStaged(found.record)) return { kind: "settled" };
  const [row] = await sql.query("SELECT coalesce(max(seq) + 1, 0) AS next FROM message WHERE session = $1", [
    found.key,
  ]);
  return { kind: "staged", nextSeq: integerOf(row!, "next") };
}

async function stageRows(
  sql: Sql,
  session: SessionRecord,
  rows: readonly TransferRow[],
): Promise<SqlStatement[]> {
  const { key, writes } = await placeOf(sql, session);
  return [
    ...writes,
    insertRows(
      key,
      rows.map(({ row }) => row),
    ),
    ...rows.flatMap((row) => besideRow(key, row)),
  ];
}

/** Where a staged session is kept; it is made where it is not there yet. */
async function placeOf(
  sql: Sql,
  session: SessionRecord,
): Promise<{ readonly key: number; readonly writes: readonly SqlStatement[] }> {
  const found = await findSession(sql, { id: session.id }, "write");
  if (found !== undefined) return { key: found.key, writes: [] };
  const [origin] = await sql.query(nextKeySql);
  const key = integerOf(origin!, "key");
  return { key, writes: [insertSession(key, stagedRecord(session))] };
}

async function settleSession<M>(sql: Sql, archived: ArchivedSession<M>): Promise<SqlStatement[]> {
  const { session, spans, member, operation, sideState, copies } = archived;
  const { key, writes } = await placeOf(sql, session);
  const keys = await keysOf(sql, [
    ...spans.map(({ writer }) => writer),
    ...copies.map(({ writer }) => writer),
    ...(operation === null ? [] : [operation.source.sessionId]),
  ]);
  keys.set(session.id, key);
  const isReserved = operation?.state === "committed";
  return [
    ...writes,
    updateSession(key, settledRecord(session)),
    ...(spans.length === 0
      ? []
      : [
          insertSpans(
            key,
            spans.map((span) => ({ ...span, writerKey: keys.get(span.writer)! })),
          ),
        ]),
    ...archived.cancelMarks.map((mark) => addCancelMark(key, mark)),
    ...sideState.map(({ state, sharedWith }) =>
      sharedWith === null ? addState(key, state) : shareState(key, state.kind, sharedWith),
    ),
    addCopies(key, copies, keys),
    ...(member === null ? [] : [insertMember(key, member)]),
    ...(isReserved ? [reserveName(operation.child.member, operation.id)] : []),
    ...(operation === null
      ? []
      : [insertOperation({ child: key, source: keys.get(operation.source.sessionId)! }, operation)]),
    restoreEvents(key, archived.waiting),
  ];
}

async function keysOf(sql: Sql, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await sql.query("SELECT id, key FROM session WHERE id = ANY ($1::text[])", [
    [...new Set(ids)],
  ]);
  return new Map(rows.map((row) => [textOf(row, "id"), integerOf(row, "key")]));
}

function addCopies(
  key: number,
  copies: readonly ArchivedCopy[],
  keys: ReadonlyMap<string, number>,
): SqlStatement {
  return statement(
    `INSERT INTO message_copy (session, seq, origin_session, origin_seq)
     SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[])`,
    key,
    copies.map(({ seq }) => seq),
    copies.map(({ writer }) => keys.get(writer)!),
    copies.map(({ writerSeq }) => writerSeq),
  );
}

/** The value that another session sees already. */
function shareState(key: number, kind: string, sharedWith: string): SqlStatement {
  return statement(
    `INSERT INTO side_state (session, kind, value) SELECT $1, kind, value FROM side_state
     WHERE kind = $2 AND session = (SELECT key FROM session WHERE id = $3)`,
    key,
    kind,
    sharedWith,
  );
}

function restoreEvents(key: number, events: readonly OutboxEvent[]): SqlStatement {
  return statement(
    `INSERT INTO outbox (key, session, kind, payload, created_at)
     SELECT given.key, $1, given.kind, given.payload, given.created_at
     FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) AS given (key, kind, payload, created_at)
     ON CONFLICT (key) DO NOTHING`,
    key,
    events.map((event) => event.key),
    events.map(({ kind }) => kind),
    events.map(({ payload }) => JSON.stringify(payload)),
    events.map(({ createdAt }) => createdAt),
  );
}
