import type { CancelMark, ContextMark } from "../context-mark.ts";
import type { SessionRecord } from "../session-record.ts";
import type { WriteResult } from "../session-write.ts";
import type { SideState } from "../side-state.ts";
import type { Span } from "../span.ts";
import type { WorkCounts } from "../store.ts";
import type { StoredRow } from "../transcript-row.ts";

/** A value that several sessions may see: side state of kind `share`. */
export interface SideStateBox {
  current: SideState;
}

/** One session with everything that belongs to it. */
export interface MemorySession {
  record: SessionRecord;
  spans: readonly Span[];
  /** The session's own rows by number. */
  readonly log: Map<number, StoredRow>;
  /** Blobs that own rows refer to. */
  blobRefs: readonly { readonly seq: number; readonly digest: string }[];
  /** In the order of their rows' numbers. */
  contextMarks: readonly { readonly seq: number; readonly mark: ContextMark }[];
  cancelMarks: readonly CancelMark[];
  writes: ReadonlyMap<string, KeptWrite>;
  sideState: ReadonlyMap<string, SideStateBox>;
}

/** What a write id stood for, and what it was answered. */
export interface KeptWrite {
  readonly digest: string;
  readonly result: WriteResult | WorkCounts;
}

/** One for all sessions that have none of a kind: maps and lists of their own would be most of what an empty session takes. */
const NONE: ReadonlyMap<string, never> = new Map<string, never>();
const NO_ITEMS: readonly never[] = Object.freeze([]);

/** A session that holds nothing beside its record and spans. */
export function memorySession(record: SessionRecord, spans: readonly Span[]): MemorySession {
  return {
    record,
    spans,
    log: new Map(),
    blobRefs: NO_ITEMS,
    contextMarks: NO_ITEMS,
    cancelMarks: NO_ITEMS,
    writes: NONE,
    sideState: NONE,
  };
}

type ListName = "blobRefs" | "contextMarks" | "cancelMarks";

/** Adds to one of the lists beside a session's transcript. */
export function keepItem<Name extends ListName>(
  session: MemorySession,
  name: Name,
  item: MemorySession[Name][number],
): void {
  if (session[name] === NO_ITEMS) session[name] = [item] as unknown as MemorySession[Name];
  else (session[name] as unknown as (typeof item)[]).push(item);
}

/** Keeps a box beside a session's transcript. */
export function putBox(session: MemorySession, kind: string, box: SideStateBox): void {
  if (session.sideState === NONE) session.sideState = new Map();
  (session.sideState as Map<string, SideStateBox>).set(kind, box);
}

/** Keeps what a write id stands for. */
export function keepWrite(session: MemorySession, id: string, write: KeptWrite): void {
  if (session.writes === NONE) session.writes = new Map();
  (session.writes as Map<string, KeptWrite>).set(id, write);
}

/** Forgets the oldest write id; a map lists its keys in the order in which they came. */
export function dropOldestWrite({ writes }: MemorySession): void {
  const [oldest] = writes.keys();
  (writes as Map<string, KeptWrite>).delete(oldest!);
}

/** Lets go of what is kept beside the transcript. */
export function dropBeside(session: MemorySession): void {
  session.writes = NONE;
  session.sideState = NONE;
}
