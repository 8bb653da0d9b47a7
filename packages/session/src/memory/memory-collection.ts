import type { CollectionSteps, LooseBlob, RangeStep, WalkPage } from "../collection-steps.ts";
import type { LogRange } from "../log-ranges.ts";
import { utf8Bytes } from "../message-body.ts";
import { dropBeside, type MemorySession } from "./memory-session.ts";
import type { MemoryState } from "./memory-state.ts";

/** The steps of a collection in a memory store; a walk is one page, since nothing here is read from anywhere. */
export function memoryCollection<M>(state: MemoryState<M>): CollectionSteps {
  return { ...rowSteps(state), ...blobSteps(state), epoch: async () => epochOf(state) };
}

function rowSteps<M>(
  state: MemoryState<M>,
): Pick<
  CollectionSteps,
  | "survey"
  | "release"
  | "forgetEvents"
  | "markedRanges"
  | "markRanges"
  | "unmarkRange"
  | "measureRows"
  | "removeRows"
> {
  return {
    async survey() {
      const items = [...state.sessions.values()].map(({ record, spans }) => ({
        log: { writer: record.id, lo: record.baseLen, hi: record.nextSeq },
        reaches: record.state === "tombstone" ? [] : spans,
      }));
      return { items, next: null };
    },
    async release() {
      for (const session of state.sessions.values()) {
        if (session.record.state !== "tombstone") continue;
        session.spans = [];
        dropBeside(session);
      }
      return { done: true };
    },
    async forgetEvents(before) {
      for (const [key, consumedAt] of state.eventKeys)
        if (consumedAt !== undefined && consumedAt <= before) state.eventKeys.delete(key);
      return { done: true };
    },
    async markedRanges() {
      return [...state.marks.ranges];
    },
    async markRanges(ranges, since) {
      state.marks.ranges.push(...ranges.map((range) => ({ ...range, since })));
    },
    async unmarkRange(range) {
      state.marks.ranges = state.marks.ranges.filter((marked) => !isWithin(marked, range));
    },
    measureRows: async (range, limit) => stepOver(state, range, { limit, remove: false }),
    removeRows: async (range, { limit, epoch }) =>
      epoch === epochOf(state) ? stepOver(state, range, { limit, remove: true }) : undefined,
  };
}

function epochOf<M>({ generation, rebases }: MemoryState<M>): number {
  return generation + rebases;
}

function isWithin(inner: LogRange, outer: LogRange): boolean {
  return inner.writer === outer.writer && outer.lo <= inner.lo && inner.hi <= outer.hi;
}

function stepOver<M>(
  state: MemoryState<M>,
  range: LogRange,
  how: { readonly limit: number; readonly remove: boolean },
): RangeStep {
  const session = state.session(String(range.writer));
  const all = [...session.log.keys()].filter((seq) => range.lo <= seq && seq < range.hi);
  const seqs = new Set(all.toSorted((one, other) => one - other).slice(0, how.limit));
  const refs = session.blobRefs.filter(({ seq }) => seqs.has(seq)).map(({ digest }) => digest);
  let bytes = 0;
  for (const seq of seqs) bytes += utf8Bytes(session.log.get(seq)?.bodyText ?? "");
  if (how.remove) removeRows(state, session, seqs);
  const last = Math.max(...seqs);
  return { rows: seqs.size, bytes, refs, next: all.length > seqs.size ? last + 1 : null };
}

function removeRows<M>(state: MemoryState<M>, session: MemorySession, seqs: ReadonlySet<number>): void {
  for (const seq of seqs) {
    const row = session.log.get(seq)!;
    session.log.delete(seq);
    state.places.forget(row);
    state.origins.delete(`${row.writer} ${seq}`);
  }
  session.blobRefs = session.blobRefs.filter(({ seq }) => !seqs.has(seq));
  session.contextMarks = session.contextMarks.filter(({ seq }) => !seqs.has(seq));
}

function blobSteps<M>(
  state: MemoryState<M>,
): Pick<CollectionSteps, "looseBlobs" | "markBlobs" | "removeBlobs" | "countRefs"> {
  return {
    async looseBlobs(): Promise<WalkPage<LooseBlob>> {
      const referred = referredDigests(state);
      const loose = [...state.blobs.keys()].filter((digest) => !referred.has(digest));
      const items = loose.map((digest) => ({
        digest,
        bytes: bytesOf(state, digest),
        since: state.marks.blobs.get(digest) ?? null,
      }));
      return { items, next: null };
    },
    async markBlobs(digests, since) {
      for (const digest of digests) state.marks.blobs.set(digest, since);
    },
    async removeBlobs(digests, before) {
      const referred = referredDigests(state);
      const removed = { blobs: 0, bytes: 0 };
      for (const digest of digests) {
        const since = state.marks.blobs.get(digest);
        if (referred.has(digest) || since === undefined || since > before) continue;
        removed.blobs += 1;
        removed.bytes += bytesOf(state, digest);
        state.blobs.delete(digest);
        state.marks.blobs.delete(digest);
      }
      return removed;
    },
    async countRefs(digests) {
      const counts = new Map<string, { refs: number; bytes: number }>();
      for (const digest of digests) {
        const refs = blobReferences(state, digest);
        if (state.blobs.has(digest)) counts.set(digest, { refs, bytes: bytesOf(state, digest) });
      }
      return counts;
    },
  };
}

/** How many rows refer to a blob. */
export function blobReferences<M>(state: MemoryState<M>, digest: string): number {
  let refs = 0;
  for (const { blobRefs } of state.sessions.values()) {
    refs += blobRefs.filter((ref) => ref.digest === digest).length;
  }
  return refs;
}

/** Digests that rows, heads of living sessions, waiting events, side state or fork requests name. */
function referredDigests<M>(state: MemoryState<M>): ReadonlySet<string> {
  const texts: unknown[] = [...state.outbox.values()].map(({ payload }) => payload);
  const referred = new Set<string>();
  for (const { record, blobRefs, sideState } of state.sessions.values()) {
    for (const { digest } of blobRefs) referred.add(digest);
    for (const { current } of sideState.values()) texts.push(current.value);
    if (record.requestHead !== null && record.state !== "tombstone") referred.add(record.requestHead);
  }
  for (const { request, initialMessage } of state.operations.values()) texts.push(request, initialMessage);
  for (const [digest] of JSON.stringify(texts).matchAll(/sha256:[0-9a-f]{64}/g)) referred.add(digest);
  return referred;
}

function bytesOf<M>(state: MemoryState<M>, digest: string): number {
  const content = state.blobs.get(digest) ?? "";
  return typeof content === "string" ? utf8Bytes(content) : content.byteLength;
}
