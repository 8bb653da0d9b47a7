import type {
  ArchivedCopy,
  ArchivedSession,
  ArchivedState,
  ArchiveProgress,
  ForkOperation,
  MemberRecord,
  OutboxEvent,
  SessionRecord,
  StoreArchive,
} from "@mobkit/session";
import { integerOf, isStaged, settledRecord, stagedRecord } from "@mobkit/session/rules";
import { addForkEvent, isForkEvent } from "./fork-events.ts";
import { addCancelMark, readCancelMarks } from "./marks.ts";
import { reserveName, seatMember, seatReservation } from "./members.ts";
import { insertRows } from "./messages.ts";
import { insertOperation, updateOperation } from "./operation-rows.ts";
import { addEvents } from "./outbox.ts";
import { pack } from "./packed-text.ts";
import { textOf } from "./rows.ts";
import { findSession, insertSession, requireSession, updateSession } from "./session-rows.ts";
import { addSideState, sideStatesOf } from "./side-states.ts";
import { readSpans } from "./spans.ts";
import type { StoreConnection } from "./store-connection.ts";
import type { StoreContext } from "./store-context.ts";
import { keepBeside } from "./transfer.ts";

/** Whole stores out of and into a file. */
export function sqliteArchive<M>({ connection, commits }: StoreContext<M>): StoreArchive<M> {
  return {
    read: (sessionId, { signal } = {}) =>
      connection.read(() => {
        const found = requireSession(connection, sessionId);
        return {
          spans: readSpans(connection, found).map(({ start, writer, lo, hi }) => ({ start, writer, lo, hi })),
          cancelMarks: readCancelMarks(connection, found.key),
          sideState: readStates(connection, found.key),
          copies: readCopies(connection, found.key),
        };
      }, signal),
    progress: (sessionId, { signal } = {}) =>
      connection.read(() => progressOf(connection, sessionId), signal),
    stage: (session, rows, { signal } = {}) =>
      commits.submit(() => {
        const key = placeOf(connection, session);
        for (const each of rows) keepBeside(connection, key, each);
        insertRows(
          connection,
          key,
          rows.map(({ row }) => row),
        );
      }, signal),
    settle: (archived, { signal } = {}) => commits.submit(() => settleSession(connection, archived), signal),
    setGeneration: (generation, { signal } = {}) =>
      commits.submit(() => {
        connection
          .statement(
            `INSERT INTO store_meta (name, value) VALUES ('generation', ?)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
          )
          .run(String(generation));
      }, signal),
  };
}

function readStates(connection: StoreConnection, session: number): readonly ArchivedState[] {
  const first = connection.statement(
    `SELECT session.id FROM side_state JOIN session ON session.key = side_state.session
     WHERE value = ? AND session < ? ORDER BY session LIMIT 1`,
  );
  const states = sideStatesOf(connection, session).map(({ key, state }) => {
    const row = first.get(key, session);
    return { state, sharedWith: row === undefined ? null : textOf(row, "id") };
  });
  return states.toSorted((one, other) => (one.state.kind < other.state.kind ? -1 : 1));
}

function readCopies(connection: StoreConnection, session: number): readonly ArchivedCopy[] {
  const rows = connection
    .statement(
      `SELECT seq, session.id, origin_seq FROM message_copy JOIN session ON session.key = origin_session
       WHERE message_copy.session = ? ORDER BY seq`,
    )
    .all(session);
  return rows.map((row) => ({
    seq: integerOf(row, "seq"),
    writer: textOf(row, "id"),
    writerSeq: integerOf(row, "origin_seq"),
  }));
}

function progressOf(connection: StoreConnection, sessionId: string): ArchiveProgress {
  const found = findSession(connection, sessionId);
  if (found === undefined) return { kind: "absent" };
  if (!isStaged(found.record)) return { kind: "settled" };
  const row = connection
    .statement("SELECT coalesce(max(seq) + 1, 0) AS next FROM message WHERE session = ?")
    .get(found.key);
  return { kind: "staged", nextSeq: integerOf(row!, "next") };
}

/** Where a staged session is kept; it is made where it is not there yet. */
function placeOf(connection: StoreConnection, session: SessionRecord): number {
  return findSession(connection, session.id)?.key ?? insertSession(connection, stagedRecord(session));
}

function settleSession<M>(connection: StoreConnection, archived: ArchivedSession<M>): void {
  const { session, spans, member, operation, sideState, copies } = archived;
  const key = placeOf(connection, session);
  const keyOf = (id: string): number => (id === session.id ? key : requireSession(connection, id).key);
  updateSession(connection, key, settledRecord(session));
  for (const { start, writer, lo } of spans)
    connection
      .statement("INSERT INTO span (session, start, writer, lo) VALUES (?, ?, ?, ?)")
      .run(key, start, keyOf(writer), lo);
  for (const mark of archived.cancelMarks) addCancelMark(connection, key, mark);
  for (const { state, sharedWith } of sideState) {
    if (sharedWith === null) addSideState(connection, key, state);
    else shareState(connection, { session: key, kind: state.kind, with: keyOf(sharedWith) });
  }
  for (const { seq, writer, writerSeq } of copies)
    connection
      .statement("INSERT INTO message_copy (session, seq, origin_session, origin_seq) VALUES (?, ?, ?, ?)")
      .run(key, seq, keyOf(writer), writerSeq);
  if (member !== null) restoreMember(connection, key, member);
  if (operation !== null) {
    if (operation.state === "committed") reserveName(connection, operation.child.member, key);
    restoreOperation(connection, { child: key, source: keyOf(operation.source.sessionId) }, operation);
  }
  restoreEvents(connection, key, archived);
}

/** What a fork seated is told by its operation. */
function restoreMember(connection: StoreConnection, session: number, member: MemberRecord): void {
  if (member.operationId === null) return seatMember(connection, session, member);
  reserveName(connection, member.member, session);
  seatReservation(connection, member);
}

function shareState(
  connection: StoreConnection,
  shared: { readonly session: number; readonly kind: string; readonly with: number },
): void {
  connection
    .statement(
      "INSERT INTO side_state (session, kind, value) SELECT ?, kind, value FROM side_state WHERE session = ? AND kind = ?",
    )
    .run(shared.session, shared.with, pack(shared.kind));
}

function restoreOperation<M>(
  connection: StoreConnection,
  sessions: { readonly child: number; readonly source: number },
  operation: ForkOperation<M>,
): void {
  addForkEvent(connection, "fork.committed", {
    key: sessions.child,
    operationId: operation.id,
    now: operation.createdAt,
  });
  insertOperation(connection, sessions, operation);
  updateOperation(connection, operation);
}

/** A fork's own event stands beside its operation; it waits only where it waited. */
function restoreEvents<M>(
  connection: StoreConnection,
  key: number,
  { operation, waiting }: ArchivedSession<M>,
): void {
  for (const event of waiting) addEvents(connection, [event], { key, now: event.createdAt });
  if (operation === null || waiting.some((event: OutboxEvent) => isForkEvent(connection, event.key))) return;
  connection
    .statement(
      `UPDATE outbox SET consumed_at = ?, payload = NULL
       WHERE entry = (SELECT first_event FROM fork_op WHERE session = ?)`,
    )
    .run(operation.updatedAt, key);
}
