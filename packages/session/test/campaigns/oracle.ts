import type { ForkOperation, SessionRecord } from "@mobkit/session";
import type { MemorySession } from "../../src/memory/memory-session.ts";
import { spanProblem } from "../../src/span.ts";
import type { AcknowledgedAppend, World } from "./world.ts";

/** What a prefix digest was first seen to stand for. */
interface SeenRow {
  readonly id: string;
  readonly text: string | Uint8Array;
  readonly before: string;
}

/** Every row that was ever seen, by its prefix digest: what the digest stands for must never change. */
export type Seen = Map<string, SeenRow>;

function ensure(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

/**
 * Holds a world against the invariants of forks: a child is its source's prefix for ever, digests agree, no committed
 * fork ends with an open call, spans are sorted, disjoint and cover the transcript, a key makes one child, and nothing
 * that was acknowledged is lost. @throws Error that says what doesn't hold.
 */
export function checkWorld(world: World, seen: Seen): void {
  const redaction = new Map<string, boolean>();
  for (const session of world.state.sessions.values()) {
    if (session.record.state !== "tombstone") checkTranscript(world, session, { seen, redaction });
  }
  checkForks(world);
  checkNames(world);
  for (const append of world.appends) checkAppend(world, append);
  for (const id of world.deleted) {
    ensure(world.state.session(id).record.state === "tombstone", `the deleted session ${id} is back`);
  }
}

interface Ledger {
  readonly seen: Seen;
  readonly redaction: Map<string, boolean>;
}

function checkTranscript(world: World, session: MemorySession, { seen, redaction }: Ledger): void {
  const { state } = world;
  const { record } = session;
  const problem = spanProblem(session.spans, record.len);
  ensure(problem === undefined, `${record.id}: ${problem}`);
  let [before, settled, open] = ["", 0, 0];
  const texts = new Set<unknown>();
  for (let position = 0; position < record.len; position += 1) {
    const row = state.rowAt(session, position);
    ensure(row !== undefined, `${record.id}: row ${position} is gone`);
    ensure(row.position === position, `${record.id}: row ${position} says ${row.position}`);
    const text = row.blob === null ? row.bodyText : state.blobs.get(row.blob);
    ensure(text !== undefined && text !== null, `${record.id}: the body of row ${position} is gone`);
    const isRedacted = row.salt === null;
    const first = seen.get(row.digest) ?? { id: row.id, text, before };
    seen.set(row.digest, first);
    ensure(first.id === row.id && first.before === before, `${record.id}: row ${position} is another one`);
    ensure(isRedacted || first.text === text, `${record.id}: row ${position} says something else`);
    ensure(isRedacted || !texts.has(text), `${record.id}: row ${position} stands twice`);
    ensure(isRedacted || !world.redacted.has(row.id), `${record.id}: row ${position} is readable again`);
    ensure(
      (redaction.get(row.digest) ?? isRedacted) === isRedacted,
      `${row.id} is redacted in one branch only`,
    );
    redaction.set(row.digest, isRedacted);
    texts.add(text);
    [before, open] = [row.digest, row.openAfter];
    if (open === 0) settled = position + 1;
  }
  checkHead(record, { digest: before, settled, open });
}

function checkHead(
  record: SessionRecord,
  end: { readonly digest: string; readonly settled: number; readonly open: number },
): void {
  const { id, len, headDigest, settledLen, openCalls } = record;
  ensure(len === 0 || headDigest === end.digest, `${id}: the head's digest is another one`);
  ensure(settledLen === end.settled, `${id}: settled at ${settledLen}, not at ${end.settled}`);
  ensure(openCalls.length === end.open, `${id}: ${openCalls.length} open calls, not ${end.open}`);
}

function checkForks(world: World): void {
  const keyed = new Map<string, string>();
  for (const operation of world.state.operations.values()) {
    const { id, idempotencyKey } = operation;
    if (idempotencyKey !== null) {
      ensure(!keyed.has(idempotencyKey), `${idempotencyKey} has made two children`);
      keyed.set(idempotencyKey, id);
    }
    checkFork(world, operation);
  }
  const { operations } = world.state;
  for (const [key, id] of world.keys) ensure(keyed.get(key) === id, `the fork of ${key} is lost`);
  for (const [id, end] of world.ends)
    ensure(operations.get(id)?.state === end, `${id} is not ${end} any more`);
}

const CHILD_STATES = {
  committed: ["pending"],
  seated: ["ready", "tombstone"],
  abandoned: ["tombstone"],
} as const;

function checkFork({ state }: World, operation: ForkOperation<unknown>): void {
  const { id, source, child } = operation;
  const session = state.session(child.sessionId);
  const { state: found, baseLen, parent } = session.record;
  ensure(
    (CHILD_STATES[operation.state] as readonly string[]).includes(found),
    `${id}: its child is ${found}`,
  );
  ensure(found !== "pending" || state.reservations.get(child.member) === id, `${id}: its name is free`);
  ensure(baseLen === source.len && parent?.digest === source.digest, `${id}: its child has another base`);
  if (found === "tombstone" || source.len === 0) return;
  const last = state.rowAt(session, source.len - 1);
  ensure(last?.digest === source.digest, `${id}: the child's prefix is another one`);
  ensure(last.openAfter === 0, `${id}: the child begins with an open call`);
}

function checkNames({ state }: World): void {
  for (const [name, { sessionId }] of state.members) {
    const { binding, state: found } = state.session(sessionId).record;
    ensure(binding?.member === name && found !== "pending", `${name} is not seated on its session`);
    ensure(!state.reservations.has(name), `${name} is seated and reserved`);
  }
  for (const [name, id] of state.reservations) {
    const operation = state.operations.get(id);
    ensure(
      operation?.state === "committed" && operation.child.member === name,
      `${name} is reserved for nobody`,
    );
  }
}

function checkAppend({ state }: World, { sessionId, result }: AcknowledgedAppend): void {
  const session = state.session(sessionId);
  if (session.record.state === "tombstone") return;
  const cancels = session.cancelMarks.filter(({ rev }) => rev > result.rev);
  const kept = Math.min(...cancels.map(({ to }) => to), result.from + result.ids.length);
  for (let position = result.from; position < kept; position += 1) {
    const row = state.rowAt(session, position);
    ensure(
      row?.id === result.ids[position - result.from],
      `${sessionId}: acknowledged row ${position} is lost`,
    );
  }
}

/** Rows that are kept and that nobody reaches. */
export function unreachedRows({ state }: World): number {
  const reached = new Set<unknown>();
  let stored = 0;
  for (const session of state.sessions.values()) {
    stored += session.log.size;
    if (session.record.state === "tombstone") continue;
    for (let position = 0; position < session.record.len; position += 1)
      reached.add(state.rowAt(session, position));
  }
  return stored - reached.size;
}

/** Texts of a session, for whoever asks whether something was said there. */
export function textsOf({ state }: World, sessionId: string): ReadonlySet<unknown> {
  const texts = new Set<unknown>();
  const session = state.session(sessionId);
  for (const row of session.log.values()) texts.add(row.bodyText ?? state.blobs.get(row.blob!));
  return texts;
}
