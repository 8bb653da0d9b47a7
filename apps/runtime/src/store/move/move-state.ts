import type { SessionRecord, TransferRow } from "@mobkit/session";
import { lastSeq, type PendingEvent } from "../../events/event-log.ts";
import { StartError } from "../../config/start-error.ts";
import { movedTableNames } from "../host-tables.ts";
import type { HostState } from "../open-state.ts";
import { archivedSession, archiveOf, sessionsByAge } from "./archived-sessions.ts";
import { fingerprintOf, type Fingerprint } from "./fingerprint.ts";

/** A state, and what people call it. */
export interface NamedState {
  readonly state: HostState;
  readonly name: string;
}

/** How a move is made. */
export interface MoveOptions {
  readonly signal: AbortSignal;
  /** Told what is being done. */
  readonly report: (text: string) => void;
}

/** Rows and events that are written at a time. */
const BATCH = 500;

/**
 * Takes a whole state into an empty one, as it is: sessions with their ids, lineage and deleted ones, forks, approvals,
 * rules, intents and events. Then reads both and compares. What was interrupted goes on where it stopped. The source stays.
 *
 * @throws StartError `store` for a target that holds something, a session that is in use, a source that changed meanwhile.
 */
export async function moveState(
  from: NamedState,
  to: NamedState,
  options: MoveOptions,
): Promise<Fingerprint> {
  const { signal, report } = options;
  const sessions = await sessionsByAge(from.state.store, signal);
  refuseHeld(sessions, from.name);
  await refuseForeign(from, to, signal);
  await to.state.tables!.noteMove(from.name);
  report(`${sessions.length} sessions`);
  for (const session of sessions) await moveSession(from.state, to.state, { session, signal });
  await archiveOf(to.state.store).setGeneration(await from.state.store.upkeep!.generation({ signal }), {
    signal,
  });
  for (const table of movedTableNames)
    for await (const rows of batchesOf(from.state.tables!.rows(table))) {
      signal.throwIfAborted();
      await to.state.tables!.add(table, rows);
    }
  report("events");
  await moveEvents(from.state, to.state, signal);
  report("comparing");
  const [there, here] = [await fingerprintOf(to.state, signal), await fingerprintOf(from.state, signal)];
  if (there.digest !== here.digest)
    throw new StartError("store", [
      `${from.name} and ${to.name} differ after the move: ${differences(here, there)}`,
      "end what uses either of them, empty the target, and move again; the source is as it was",
    ]);
  await to.state.tables!.noteMove(undefined);
  return there;
}

function refuseHeld(sessions: readonly SessionRecord[], name: string): void {
  const held = sessions.find(({ lease }) => lease.owner !== null && (lease.expiresAt ?? 0) > Date.now());
  if (held !== undefined)
    throw new StartError("store", [
      `${name} is in use: session ${held.id} is held by ${held.lease.owner}`,
      "end the hosts that use it, or wait until the lease of one that died has run out (15 s), and move again",
    ]);
}

/** A target that holds something is the rest of this very move, or is refused. */
async function refuseForeign(from: NamedState, to: NamedState, signal: AbortSignal): Promise<void> {
  const source = await to.state.tables!.movedFrom();
  if (source === from.name) return;
  const { store, events, tables } = to.state;
  let isEmpty = (await sessionsByAge(store, signal)).length === 0 && (await events.lastPlace()) === 0;
  for (const table of movedTableNames) for await (const _ of tables!.rows(table)) isEmpty = false;
  if (isEmpty && source === undefined) return;
  throw new StartError("store", [
    source === undefined ? `${to.name} is not empty` : `${to.name} holds a part of ${source}`,
    "move into a directory or a schema that holds nothing; nothing was changed",
  ]);
}

async function moveSession(
  from: HostState,
  to: HostState,
  { session, signal }: { readonly session: SessionRecord; readonly signal: AbortSignal },
): Promise<void> {
  const archive = archiveOf(to.store);
  const progress = await archive.progress(session.id, { signal });
  if (progress.kind === "settled") return;
  const lo = progress.kind === "staged" ? progress.nextSeq : 0;
  const own = { start: 0, writer: session.id, lo, hi: session.nextSeq };
  if (lo < session.nextSeq)
    for await (const rows of batchesOf(from.store.transfer!.rows([own], { signal }))) {
      await moveBlobs(from, to, { digests: rows.flatMap(blobsOf), signal });
      await archive.stage(session, rows, { signal });
    }
  if (session.requestHead !== null) await moveBlobs(from, to, { digests: [session.requestHead], signal });
  await archive.settle(await archivedSession(from.store, session, signal), { signal });
}

function blobsOf({ row, blobs }: TransferRow): readonly string[] {
  return row.blob === null ? blobs : [row.blob, ...blobs];
}

/** What the source has lost stays lost: its rows say so there, too. */
async function moveBlobs(
  from: HostState,
  to: HostState,
  { digests, signal }: { readonly digests: readonly string[]; readonly signal: AbortSignal },
): Promise<void> {
  for (const digest of new Set(digests)) {
    const bytes = await from.store.blobs.get(digest, { signal });
    if (bytes !== undefined) await to.store.blobs.put(bytes, { signal });
  }
}

async function moveEvents(from: HostState, to: HostState, signal: AbortSignal): Promise<void> {
  const known = new Map<string, number>();
  for await (const batch of batchesOf(from.events.readAll(0))) {
    signal.throwIfAborted();
    const pending: PendingEvent[] = [];
    for (const { event } of batch) {
      const { session } = event;
      if (!known.has(session)) known.set(session, await lastSeq(to.events, session));
      const { seq = 0, ...rest } = event;
      if (seq > known.get(session)!) pending.push(rest);
    }
    if (pending.length > 0) await to.events.take(pending);
  }
}

async function* batchesOf<T>(
  items: AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<readonly T[], void, undefined> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function differences(one: Fingerprint, other: Fingerprint): string {
  const names = (Object.keys(one) as (keyof Fingerprint)[]).filter((name) => one[name] !== other[name]);
  return names
    .map((name) => (name === "digest" ? "contents" : `${one[name]} and ${other[name]} ${name}`))
    .join(", ");
}
