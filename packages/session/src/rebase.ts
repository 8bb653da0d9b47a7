import { checkStepSize } from "./collection.ts";
import { spansLength, type Span } from "./span.ts";
import type { WalkPage } from "./collection-steps.ts";
import type { RebaseReport, RebaseRequest } from "./upkeep.ts";

/** Spans that a session may have before it is rebased. */
export const maxSpans = 32;

/** Spans that a rebase leaves at most, beside the last one. */
const TARGET_SPANS = 16;

/** A run of neighbouring spans that becomes one: the rows at the positions from `start` to `end - 1`. */
export interface SpanRun {
  readonly start: number;
  readonly end: number;
}

/**
 * Which runs of spans to copy together so that few rows are copied: the two smallest neighbours are joined until few
 * enough are left. The last span is left alone, since its session may be writing to it. Empty with 32 spans or fewer. Pure.
 */
export function planRuns(spans: readonly Span[]): SpanRun[] {
  if (spans.length <= maxSpans) return [];
  const runs = spans
    .slice(0, -1)
    .map(({ start, lo, hi }) => ({ start, end: start + hi - lo, joined: false }));
  while (runs.length > TARGET_SPANS) {
    let smallest = 0;
    for (let at = 1; at < runs.length - 1; at += 1) {
      if (rowsOf(runs, at) < rowsOf(runs, smallest)) smallest = at;
    }
    const [left, right] = [runs[smallest]!, runs[smallest + 1]!];
    runs.splice(smallest, 2, { start: left.start, end: right.end, joined: true });
  }
  return runs.filter(({ joined }) => joined).map(({ start, end }) => ({ start, end }));
}

function rowsOf(runs: readonly SpanRun[], at: number): number {
  return runs[at + 1]!.end - runs[at]!.start;
}

/** How many rows runs hold. */
export function runRows(runs: readonly SpanRun[]): number {
  return runs.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** The runs of `limit` rows from the `done`-th on, still at their positions. Pure. */
export function sliceRuns(
  runs: readonly SpanRun[],
  rows: { readonly done: number; readonly limit: number },
): SpanRun[] {
  let before = 0;
  return runs.flatMap(({ start, end }) => {
    const offset = start - before;
    const from = Math.max(start, rows.done + offset);
    const to = Math.min(end, rows.done + rows.limit + offset);
    before += end - start;
    return from < to ? [{ start: from, end: to }] : [];
  });
}

/** The spans with each run replaced by one span of the writer's log, whose rows begin at `lo`. Pure. */
export function replaceRuns(
  spans: readonly Span[],
  runs: readonly SpanRun[],
  copies: { readonly writer: string; readonly lo: number },
): Span[] {
  let { lo } = copies;
  const replaced = runs.map(({ start, end }) => {
    const span = { start, writer: copies.writer, lo, hi: lo + end - start };
    lo = span.hi;
    return span;
  });
  const kept = spans.filter(({ start }) => !runs.some((run) => run.start <= start && start < run.end));
  return [...kept, ...replaced].toSorted((one, other) => one.start - other.start);
}

/** A rebase that has begun: numbers of the session's log are set aside for its copies. */
export interface RebaseJob {
  readonly sessionId: string;
  readonly generation: number;
  /** The spans that it was planned from. */
  readonly spans: readonly Span[];
  readonly runs: readonly SpanRun[];
  /** The number of the first copy. */
  readonly lo: number;
}

/** What a rebase asks of a store. Every call is one short transaction. */
export interface RebaseSteps {
  /** Sessions of more than 32 spans. */
  deepSessions(after: number, limit: number): Promise<WalkPage<string>>;
  /** Plans, and sets numbers aside; undefined when there is nothing to do. @throws SessionError `unknown_session`. */
  begin(sessionId: string): Promise<RebaseJob | undefined>;
  /** Copies `limit` rows from the `done`-th on, with their blob references and marks. */
  copy(job: RebaseJob, rows: { readonly done: number; readonly limit: number }): Promise<void>;
  /**
   * Puts the copies in place; false when a redaction came in between, the session has other spans now or a copy is
   * gone. What was copied for nothing is collected.
   */
  finish(job: RebaseJob): Promise<boolean>;
}

/** How often a session is tried whose spans change under the rebase. */
const TRIES = 4;

/** Rebases by a store's steps; see `StoreUpkeep.rebase`. @throws SessionError `invalid_request`, `unknown_session`. */
export async function runRebase(steps: RebaseSteps, request: RebaseRequest): Promise<RebaseReport> {
  const limit = checkStepSize(request.stepSize);
  const report = { sessions: 0, copiedRows: 0 };
  const rebase = async (sessionId: string): Promise<void> => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const job = await steps.begin(sessionId);
      if (job === undefined) return;
      const rows = runRows(job.runs);
      for (let done = 0; done < rows; done += limit) {
        request.signal?.throwIfAborted();
        await steps.copy(job, { done, limit: Math.min(limit, rows - done) });
      }
      report.copiedRows += rows;
      if (!(await steps.finish(job))) continue;
      report.sessions += 1;
      return;
    }
  };
  if (request.sessionId !== undefined) await rebase(request.sessionId);
  else {
    for (let after: number | null = 0; after !== null;) {
      request.signal?.throwIfAborted();
      const page: WalkPage<string> = await steps.deepSessions(after, limit);
      for (const sessionId of page.items) await rebase(sessionId);
      after = page.next;
    }
  }
  return Object.freeze(report);
}

/** True when the spans that a job was planned from are still the first ones; only the last may have changed. Pure. */
export function isUnchanged(job: RebaseJob, spans: readonly Span[]): boolean {
  const planned = job.spans.slice(0, -1);
  const next = spans[planned.length];
  if ((next?.start ?? spansLength(spans)) !== spansLength(planned)) return false;
  return planned.every(({ start, writer, lo }, index) => {
    const now = spans[index];
    return now !== undefined && now.start === start && now.writer === writer && now.lo === lo;
  });
}
