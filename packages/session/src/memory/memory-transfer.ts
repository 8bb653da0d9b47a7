import { checkCount } from "../request-checks.ts";
import { sliceSpans, spansLength, type Span } from "../span.ts";
import {
  checkOutlined,
  isLeftImport,
  leftBehind,
  planBeginImport,
  planDropImport,
  planFinishImport,
  planStage,
} from "../transfer-plan.ts";
import type { SessionTransfer, TransferRow } from "../transfer.ts";
import { checkLease } from "../write-checks.ts";
import { keepItem, memorySession, putBox, type MemorySession } from "./memory-session.ts";
import type { MemoryState } from "./memory-state.ts";

const PAGE_SIZE = 256;

/** Whole sessions out of and into a memory store. */
export function memoryTransfer<M>(state: MemoryState<M>): SessionTransfer {
  return { ...readingSteps(state), ...importSteps(state) };
}

function readingSteps<M>(state: MemoryState<M>): Pick<SessionTransfer, "outline" | "rows"> {
  return {
    async outline(sessionId, options) {
      state.enter(options?.signal);
      const { record, spans, cancelMarks, sideState } = state.session(sessionId);
      checkOutlined(record);
      const kinds = [...sideState.values()].map(({ current }) => current);
      return Object.freeze({
        session: record,
        member: record.binding === null ? null : (state.members.get(record.binding.member) ?? null),
        spans: Object.freeze(spans.map((span) => Object.freeze({ ...span }))),
        cancelMarks: Object.freeze([...cancelMarks]),
        sideState: Object.freeze(kinds.toSorted((one, other) => (one.kind < other.kind ? -1 : 1))),
      });
    },
    async *rows(spans, request = {}) {
      const size = checkCount("pageSize", request.pageSize ?? PAGE_SIZE, 1);
      for (let from = 0; from < spansLength(spans); from += size) {
        state.enter(request.signal);
        yield* sliceSpans(spans, from, from + size).flatMap((span) => rowsOf(state, span));
      }
    },
  };
}

function rowsOf<M>(state: MemoryState<M>, { writer, lo, hi }: Span): TransferRow[] {
  const { log, blobRefs, contextMarks } = state.session(writer);
  const within = ({ seq }: { readonly seq: number }): boolean => lo <= seq && seq < hi;
  const refs = blobRefs.filter(within);
  const marks = contextMarks.filter(within);
  return Array.from({ length: hi - lo }, (_, index) => log.get(lo + index)).flatMap((row) => {
    if (row === undefined) return [];
    const blobs = refs.filter(({ seq, digest }) => seq === row.seq && digest !== row.blob);
    const mark = marks.find(({ seq }) => seq === row.seq)?.mark ?? null;
    return [Object.freeze({ row, blobs: Object.freeze(blobs.map(({ digest }) => digest)), mark })];
  });
}

function importSteps<M>(state: MemoryState<M>): Pick<SessionTransfer, "begin" | "stage" | "finish" | "drop"> {
  return {
    async begin(options) {
      state.enter(options?.signal);
      const now = state.clock.now();
      dropLeftImports(state, now);
      const { session, lease } = planBeginImport(now);
      state.sessions.set(session.id, memorySession(session, []));
      return lease;
    },
    async stage(lease, rows, options) {
      state.enter(options?.signal);
      checkLease(lease);
      const session = state.session(lease.sessionId);
      const record = planStage(session.record, { lease, rows, now: state.clock.now() });
      for (const { row, blobs } of rows) {
        for (const digest of row.blob === null ? blobs : [row.blob, ...blobs]) state.checkBlob(digest);
      }
      session.record = record;
      session.spans = [{ start: 0, writer: record.id, lo: 0, hi: record.len }];
      for (const each of rows) keepRow(state, session, each);
    },
    async finish(lease, contents, options) {
      state.enter(options?.signal);
      checkLease(lease);
      const found = state.session(lease.sessionId);
      const plan = planFinishImport(found.record, { lease, contents, now: state.clock.now() });
      state.checkNameFree(plan.member.member);
      if (plan.session.requestHead !== null) state.checkBlob(plan.session.requestHead);
      found.record = plan.session;
      for (const mark of contents.cancelMarks) keepItem(found, "cancelMarks", mark);
      for (const current of contents.sideState) putBox(found, current.kind, { current });
      state.members.set(plan.member.member, plan.member);
      return Object.freeze(plan);
    },
    async drop(lease, options) {
      state.enter(options?.signal);
      checkLease(lease);
      const session = state.session(lease.sessionId);
      const dropped = planDropImport(session.record, lease, state.clock.now());
      if (dropped !== undefined) session.record = dropped;
      return dropped !== undefined;
    },
  };
}

function keepRow<M>(state: MemoryState<M>, session: MemorySession, { row, blobs, mark }: TransferRow): void {
  session.log.set(row.seq, Object.freeze({ ...row }));
  state.places.note(row);
  for (const digest of row.blob === null ? blobs : [row.blob, ...blobs]) {
    keepItem(session, "blobRefs", { seq: row.seq, digest });
  }
  if (mark !== null) keepItem(session, "contextMarks", { seq: row.seq, mark });
}

/** Gives up the imports whose lease ran out before their end. */
export function dropLeftImports<M>(state: MemoryState<M>, now: number): void {
  for (const session of state.sessions.values())
    if (isLeftImport(session.record, now)) session.record = leftBehind(session.record, now);
}
