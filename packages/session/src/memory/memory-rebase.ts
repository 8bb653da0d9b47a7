import {
  isUnchanged,
  maxSpans,
  planRuns,
  replaceRuns,
  runRows,
  sliceRuns,
  type RebaseJob,
  type RebaseSteps,
} from "../rebase.ts";
import { locateRow } from "../span.ts";
import { keepItem, type MemorySession } from "./memory-session.ts";
import type { MemoryState } from "./memory-state.ts";

/** The steps of a rebase in a memory store. */
export function memoryRebase<M>(state: MemoryState<M>): RebaseSteps {
  return {
    async deepSessions() {
      const deep = [...state.sessions].filter(([, { spans }]) => spans.length > maxSpans);
      return { items: deep.map(([id]) => id), next: null };
    },
    async begin(sessionId) {
      const session = state.session(sessionId);
      const { spans, record } = session;
      const runs = planRuns(spans);
      if (runs.length === 0) return undefined;
      const lo = record.nextSeq;
      session.record = Object.freeze({ ...record, nextSeq: lo + runRows(runs) });
      return { sessionId, generation: state.generation, spans, runs, lo };
    },
    async copy(job, rows) {
      let seq = job.lo + rows.done;
      for (const { start, end } of sliceRuns(job.runs, rows)) {
        for (let position = start; position < end; position += 1) {
          copyRow(state, job, { position, seq });
          seq += 1;
        }
      }
    },
    async finish(job) {
      const session = state.session(job.sessionId);
      if (state.generation !== job.generation || !isUnchanged(job, session.spans)) return false;
      if (!hasCopies(session, job)) return false;
      state.rebases += 1;
      session.spans = replaceRuns(session.spans, job.runs, { writer: job.sessionId, lo: job.lo });
      return true;
    },
  };
}

function hasCopies({ log }: MemorySession, { runs, lo }: RebaseJob): boolean {
  return Array.from({ length: runRows(runs) }, (_, index) => lo + index).every((seq) => log.has(seq));
}

/** Copies a row with its blob references, its mark and its place in the indexes. */
function copyRow<M>(
  state: MemoryState<M>,
  job: RebaseJob,
  to: { readonly position: number; readonly seq: number },
): void {
  const target = state.session(job.sessionId);
  const { writer, seq } = locateRow(job.spans, to.position)!;
  const origin = state.session(writer);
  const row = origin.log.get(seq);
  if (row === undefined) return;
  const copy = { ...row, writer: job.sessionId, seq: to.seq };
  target.log.set(to.seq, copy);
  state.places.note(copy);
  state.origins.set(`${copy.writer} ${copy.seq}`, state.originOf(row));
  const refs = origin.blobRefs.filter((ref) => ref.seq === seq);
  for (const { digest } of refs) keepItem(target, "blobRefs", { seq: to.seq, digest });
  const marked = origin.contextMarks.find((each) => each.seq === seq);
  if (marked !== undefined) keepItem(target, "contextMarks", { seq: to.seq, mark: marked.mark });
}
