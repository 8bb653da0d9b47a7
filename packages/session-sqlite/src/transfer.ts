import type { SessionTransfer, Span, TransferRow } from "@mobkit/session";
import {
  checkCount,
  checkLease,
  checkOutlined,
  isLeftImport,
  leftBehind,
  planBeginImport,
  planDropImport,
  planFinishImport,
  planStage,
  sliceSpans,
  spansLength,
} from "@mobkit/session/rules";
import { referToBlob, requireBlob } from "./blobs.ts";
import { addCancelMark, addContextMark, readCancelMarks } from "./marks.ts";
import { findMember, requireFreeName, seatMember } from "./members.ts";
import { insertRows } from "./messages.ts";
import { stateNumber } from "./rows.ts";
import { findSession, insertSession, requireSession, updateSession } from "./session-rows.ts";
import { selectSessions, storedSession } from "./session-select.ts";
import { addSideState, readSideStates } from "./side-states.ts";
import { extendStoredSpans, readSpans } from "./spans.ts";
import type { StoreConnection } from "./store-connection.ts";
import type { StoreContext } from "./store-context.ts";
import { readTransferRows } from "./transfer-rows.ts";

const defaultPageSize = 256;

/** Whole sessions out of and into a store file. Each step of an import is one short transaction. */
export function sqliteTransfer<M>(context: StoreContext<M>): SessionTransfer {
  return { ...readingSteps(context), ...importSteps(context) };
}

function readingSteps<M>({ connection }: StoreContext<M>): Pick<SessionTransfer, "outline" | "rows"> {
  return {
    outline: (sessionId, options = {}) =>
      connection.read(() => {
        const found = requireSession(connection, sessionId);
        const { key, record: session } = found;
        checkOutlined(session);
        const spans = readSpans(connection, found).map(({ start, writer, lo, hi }) =>
          Object.freeze({ start, writer, lo, hi }),
        );
        return Object.freeze({
          session,
          member: session.binding === null ? null : (findMember(connection, session.binding.member) ?? null),
          spans: Object.freeze(spans),
          cancelMarks: readCancelMarks(connection, key),
          sideState: readSideStates(connection, key),
        });
      }, options.signal),
    rows: (spans, request = {}) => rowsOf(connection, spans, request),
  };
}

async function* rowsOf(
  connection: StoreConnection,
  spans: readonly Span[],
  request: Parameters<SessionTransfer["rows"]>[1] & object,
): AsyncGenerator<TransferRow, void, undefined> {
  const size = checkCount("pageSize", request.pageSize ?? defaultPageSize, 1);
  for (let from = 0; from < spansLength(spans); from += size) {
    const page = sliceSpans(spans, from, from + size);
    yield* await connection.read(
      () =>
        page.flatMap((span) => {
          const writer = findSession(connection, span.writer);
          return writer === undefined ? [] : readTransferRows(connection, { ...span, writerKey: writer.key });
        }),
      request.signal,
    );
  }
}

function importSteps<M>({
  connection,
  commits,
  clock,
}: StoreContext<M>): Pick<SessionTransfer, "begin" | "stage" | "finish" | "drop"> {
  return {
    begin: (options = {}) =>
      commits.submit(() => {
        const now = clock.now();
        dropLeftImports(connection, now);
        const { session, lease } = planBeginImport(now);
        insertSession(connection, session);
        return lease;
      }, options.signal),
    stage: async (lease, rows, options = {}) => {
      checkLease(lease);
      return commits.submit(() => {
        const { key, record } = requireSession(connection, lease.sessionId);
        const next = planStage(record, { lease, rows, now: clock.now() });
        extendStoredSpans(connection, { key, len: record.len, nextSeq: record.nextSeq });
        for (const each of rows) keepBeside(connection, key, each);
        insertRows(
          connection,
          key,
          rows.map(({ row }) => row),
        );
        updateSession(connection, key, next);
      }, options.signal);
    },
    finish: async (lease, contents, options = {}) => {
      checkLease(lease);
      return commits.submit(() => {
        const { key, record } = requireSession(connection, lease.sessionId);
        const plan = planFinishImport(record, { lease, contents, now: clock.now() });
        requireFreeName(connection, plan.member.member);
        if (plan.session.requestHead !== null) requireBlob(connection, plan.session.requestHead);
        for (const mark of contents.cancelMarks) addCancelMark(connection, key, mark);
        for (const state of contents.sideState) addSideState(connection, key, state);
        updateSession(connection, key, plan.session);
        seatMember(connection, key, plan.member);
        return Object.freeze(plan);
      }, options.signal);
    },
    drop: async (lease, options = {}) => {
      checkLease(lease);
      return commits.submit(() => {
        const { key, record } = requireSession(connection, lease.sessionId);
        const dropped = planDropImport(record, lease, clock.now());
        if (dropped !== undefined) updateSession(connection, key, dropped);
        return dropped !== undefined;
      }, options.signal);
    },
  };
}

/** Compactions and references to blobs, which have to be there. */
export function keepBeside(
  connection: StoreConnection,
  key: number,
  { row, blobs, mark }: TransferRow,
): void {
  const place = { key, seq: row.seq };
  for (const digest of row.blob === null ? blobs : [row.blob, ...blobs]) {
    requireBlob(connection, digest);
    referToBlob(connection, place, digest);
  }
  if (mark !== null) addContextMark(connection, place, mark);
}

/** Gives up the imports whose lease ran out before their end. */
export function dropLeftImports(connection: StoreConnection, now: number): void {
  const rows = connection
    .statement(selectSessions("state = ? AND lease_expires_at <= ?"))
    .all(stateNumber("pending"), now);
  for (const row of rows) {
    const { key, record } = storedSession(row);
    if (isLeftImport(record, now)) updateSession(connection, key, leftBehind(record, now));
  }
}
