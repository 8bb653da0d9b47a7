import type { SessionTransfer, Span, TransferRow } from "@mobkit/session";
import {
  checkCount,
  checkLease,
  checkOutlined,
  integerOf,
  isLeftImport,
  leftBehind,
  planBeginImport,
  planDropImport,
  planFinishImport,
  planStage,
  sliceSpans,
  spansLength,
} from "@mobkit/session/rules";
import { holdBlobs, referToBlobs } from "./blobs.ts";
import { addCancelMark, addContextMark, readCancelMarks } from "./marks.ts";
import { findMember, holderOf, insertMember, refuseHeldName } from "./members.ts";
import { tell } from "./notices.ts";
import {
  findSession,
  insertSession,
  nextKeySql,
  requireSession,
  storedSession,
  updateSession,
} from "./session-rows.ts";
import { addState, readSideStates } from "./side-states.ts";
import { insertSpans, type StoredSpan } from "./spans.ts";
import { nowColumn, type Sql, type SqlStatement } from "./sql.ts";
import type { StoreContext } from "./store-context.ts";
import { insertRows, readTransferRows } from "./transfer-rows.ts";
import type { Transactions } from "./transactions.ts";

const defaultPageSize = 256;

/** Whole sessions out of and into a store. Each step of an import is one short transaction. */
export function postgresTransfer<M>(context: StoreContext<M>): SessionTransfer {
  return { ...readingSteps(context), ...stagingSteps(context), ...endingSteps(context) };
}

function readingSteps<M>({ transactions }: StoreContext<M>): Pick<SessionTransfer, "outline" | "rows"> {
  return {
    outline: (sessionId, options = {}) =>
      transactions.read(async (sql) => {
        const { key, record: session, spans } = await requireSession(sql, sessionId);
        checkOutlined(session);
        const [member, cancelMarks, states] = await Promise.all([
          session.binding === null ? undefined : findMember(sql, session.binding.member),
          readCancelMarks(sql, key),
          readSideStates(sql, sessionId),
        ]);
        return Object.freeze({
          session,
          member: member ?? null,
          spans: Object.freeze(spans.map(bareSpan)),
          cancelMarks,
          sideState: Object.freeze(states.map(({ state }) => state)),
        });
      }, options.signal),
    rows: (spans, request = {}) => rowsOf(transactions, spans, request),
  };
}

function bareSpan({ start, writer, lo, hi }: StoredSpan): Span {
  return Object.freeze({ start, writer, lo, hi });
}

async function* rowsOf(
  transactions: Transactions,
  spans: readonly Span[],
  request: Parameters<SessionTransfer["rows"]>[1] & object,
): AsyncGenerator<TransferRow, void, undefined> {
  const size = checkCount("pageSize", request.pageSize ?? defaultPageSize, 1);
  for (let from = 0; from < spansLength(spans); from += size) {
    const page = sliceSpans(spans, from, from + size);
    const rows = await transactions.read(
      (sql) => Promise.all(page.map((span) => rowsOfSpan(sql, span))),
      request.signal,
    );
    yield* rows.flat();
  }
}

async function rowsOfSpan(sql: Sql, span: Span): Promise<readonly TransferRow[]> {
  const writer = await findSession(sql, { id: span.writer });
  return writer === undefined ? [] : readTransferRows(sql, { ...span, writerKey: writer.key });
}

function stagingSteps<M>({ transactions, time }: StoreContext<M>): Pick<SessionTransfer, "begin" | "stage"> {
  return {
    begin: (options = {}) =>
      transactions.write(async (sql) => {
        const [[origin], left] = await Promise.all([sql.query(nextKeySql), dropLeftImports(sql, time)]);
        const { session, lease } = planBeginImport(time.at(integerOf(origin!, "now_ms")));
        return { answer: lease, writes: [...left, insertSession(integerOf(origin!, "key"), session)] };
      }, options.signal),
    stage: async (lease, rows, options = {}) => {
      checkLease(lease);
      return transactions.write(async (sql) => {
        const { key, record, nowMs } = await requireSession(sql, lease.sessionId, "write");
        const next = planStage(record, { lease, rows, now: time.at(nowMs) });
        await holdBlobs(sql, [...new Set(rows.flatMap(blobsOf))]);
        const own = { start: 0, writer: record.id, writerKey: key, lo: 0, hi: next.len };
        const writes = [
          ...(record.len === 0 ? [insertSpans(key, [own])] : []),
          insertRows(
            key,
            rows.map(({ row }) => row),
          ),
          ...rows.flatMap((each) => besideRow(key, each)),
          updateSession(key, next),
        ];
        return { answer: undefined, writes };
      }, options.signal);
    },
  };
}

function endingSteps<M>({
  transactions,
  time,
  server,
}: StoreContext<M>): Pick<SessionTransfer, "finish" | "drop"> {
  return {
    finish: async (lease, contents, options = {}) => {
      checkLease(lease);
      return transactions.write(async (sql) => {
        const { key, record, nowMs } = await requireSession(sql, lease.sessionId, "write");
        const plan = planFinishImport(record, { lease, contents, now: time.at(nowMs) });
        const { requestHead } = plan.session;
        const [holder] = await Promise.all([
          holderOf(sql, plan.member.member),
          holdBlobs(sql, requestHead === null ? [] : [requestHead]),
        ]);
        refuseHeldName(plan.member.member, holder);
        const writes = [
          ...contents.cancelMarks.map((mark) => addCancelMark(key, mark)),
          ...contents.sideState.map((state) => addState(key, state)),
          updateSession(key, plan.session),
          insertMember(key, plan.member),
          tell(server.options.schema, plan.session),
        ];
        return { answer: Object.freeze(plan), writes };
      }, options.signal);
    },
    drop: async (lease, options = {}) => {
      checkLease(lease);
      return transactions.write(async (sql) => {
        const { key, record, nowMs } = await requireSession(sql, lease.sessionId, "write");
        const dropped = planDropImport(record, lease, time.at(nowMs));
        if (dropped === undefined) return { answer: false, writes: [] };
        return { answer: true, writes: [updateSession(key, dropped)] };
      }, options.signal);
    },
  };
}

function blobsOf({ row, blobs }: TransferRow): readonly string[] {
  return row.blob === null ? blobs : [row.blob, ...blobs];
}

/** A row's references to blobs, and its compaction. */
export function besideRow(key: number, each: TransferRow): SqlStatement[] {
  const place = { key, seq: each.row.seq };
  const digests = blobsOf(each);
  return [
    ...(digests.length > 0 ? [referToBlobs(place, digests)] : []),
    ...(each.mark === null ? [] : [addContextMark(place, each.mark)]),
  ];
}

/** Imports whose lease ran out before their end. Another opener that drops the same waits for the rows' locks. */
export async function dropLeftImports(
  sql: Sql,
  time: { at(nowMs: number): number },
): Promise<readonly SqlStatement[]> {
  const rows = await sql.query(
    `SELECT *, ${nowColumn} FROM session WHERE state = 'pending' AND lease_owner IS NOT NULL
     ORDER BY key FOR NO KEY UPDATE SKIP LOCKED`,
  );
  return rows.map(storedSession).flatMap(({ key, record, nowMs }) => {
    const now = time.at(nowMs);
    return isLeftImport(record, now) ? [updateSession(key, leftBehind(record, now))] : [];
  });
}
