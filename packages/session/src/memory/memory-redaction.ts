import type { JsonObject, JsonValue } from "@basis/core";
import { decodeBody } from "../message-body.ts";
import { checkRedaction, isRedacted, ownTexts, replaceBody, textsInJson } from "../redaction.ts";
import { messageWithoutTexts, payloadWithoutTexts, withoutTexts } from "../text-removal.ts";
import { invalidRequest } from "../request-checks.ts";
import { positionOf } from "../span.ts";
import type { StoredRow } from "../transcript-row.ts";
import type { RedactionReport, RedactRequest } from "../upkeep.ts";
import { blobReferences } from "./memory-collection.ts";
import { storedText } from "./memory-reads.ts";
import { keepItem, keepWrite, type MemorySession } from "./memory-session.ts";
import type { MemoryState } from "./memory-state.ts";

/** Redacts in a memory store; see `StoreUpkeep.redact`. */
export function redactInMemory<M>(
  state: MemoryState<M>,
  request: RedactRequest<M, undefined>,
): RedactionReport {
  const replace = checkRedaction(request, state.shape);
  const session = state.session(request.sessionId);
  const asked = request.messageIds.map((id) => rowOf(state, session, id));
  const summaries = asked.flatMap((row) => summariesOver(state, row));
  const changes = eachOnce(state, [...asked, ...summaries])
    .map((row) => {
      const before = storedText(state, row);
      return { row, before, after: replaceBody(state.shape, decodeBody(before) as M, replace) };
    })
    .filter(({ row, ...bodies }) => isRedacted(request, { ...bodies, wasRedacted: row.salt === null }));
  const rows = changes.map(({ row }) => row);
  const own = ownTexts(changes.map(({ before, after }) => ({ before, after: after.text })));
  if (request.join !== undefined) state.callJoin(request.join);
  const blobs = new Set(changes.flatMap(({ row }) => blobsOf(state, row)));
  for (const { row, after } of changes) replaceRow(state, row, after);
  const sharedBlobs = [...blobs].filter((digest) => !dropBlob(state, digest));
  const named = request.secrets ?? [];
  const texts = scrub(state, { own, named }) + dropHeads(state, textsInJson(named));
  if (changes.length > 0 || texts > 0) state.generation += 1;
  const ids = new Set(asked.map(({ id }) => id));
  const messages = new Set(rows.filter(({ id }) => ids.has(id)).map(({ id }) => id)).size;
  return Object.freeze({
    generation: state.generation,
    messages,
    summaries: rows.length - messages,
    blobs: blobs.size - sharedBlobs.length,
    texts,
    sharedBlobs: Object.freeze(sharedBlobs),
    purged: true,
  });
}

/** The row of a message that the transcript holds, or that the session cancelled. @throws SessionError `invalid_request`. */
function rowOf<M>(state: MemoryState<M>, session: MemorySession, id: string): StoredRow {
  const places = state.places.ofMessage(id);
  const place =
    places.find((each) => positionOf(session.spans, each) !== undefined) ??
    places.find(({ writer }) => writer === session.record.id);
  const row = place && state.sessions.get(place.writer)?.log.get(place.seq);
  if (row !== undefined) return row;
  throw invalidRequest("messageIds", `names ${id}, which session ${session.record.id} does not have`);
}

/** Rows by their origin, each once. */
function eachOnce<M>(state: MemoryState<M>, rows: readonly StoredRow[]): StoredRow[] {
  return [...new Map(rows.map((row) => [state.originOf(row), row])).values()];
}

/** Every place where a row is kept: its own, and its copies in rebased sessions. */
function copiesOf<M>(state: MemoryState<M>, row: StoredRow): { session: MemorySession; row: StoredRow }[] {
  const origin = state.originOf(row);
  return state.places.ofMessage(row.id).flatMap((place) => {
    const session = state.session(place.writer);
    const copy = session.log.get(place.seq);
    return copy !== undefined && state.originOf(copy) === origin ? [{ session, row: copy }] : [];
  });
}

/** The summary rows whose summary covers the row; one that no session reaches is taken in any case. */
function summariesOver<M>(state: MemoryState<M>, row: StoredRow): StoredRow[] {
  const copies = copiesOf(state, row).map((copy) => copy.row);
  return [...state.sessions.values()].flatMap(({ log, contextMarks }) =>
    contextMarks
      .filter(({ mark }) => mark.summarises > row.position)
      .map(({ seq }) => log.get(seq)!)
      .filter((summary) => {
        const reader = [...state.sessions.values()].find(
          ({ spans }) => positionOf(spans, summary) !== undefined,
        );
        return !reader || copies.some((copy) => positionOf(reader.spans, copy) === row.position);
      }),
  );
}

function blobsOf<M>(state: MemoryState<M>, row: StoredRow): string[] {
  return copiesOf(state, row).flatMap(({ session, row: { seq } }) =>
    session.blobRefs.filter((ref) => ref.seq === seq).map(({ digest }) => digest),
  );
}

function replaceRow<M>(
  state: MemoryState<M>,
  row: StoredRow,
  body: { readonly text: string; readonly blob: string | null },
): void {
  for (const { session, row: copy } of copiesOf(state, row)) {
    const { seq } = copy;
    session.blobRefs = session.blobRefs.filter((ref) => ref.seq !== seq);
    if (body.blob !== null) {
      state.keepBlob(body.blob, body.text);
      keepItem(session, "blobRefs", { seq, digest: body.blob });
    }
    const bodyText = body.blob === null ? body.text : null;
    session.log.set(seq, { ...copy, bodyText, blob: body.blob, salt: null });
    forgetWrite(session, copy.id);
  }
}

/** A write's digest would tell a guessed body right; its repetition is refused from now on. */
function forgetWrite(session: MemorySession, messageId: string): void {
  for (const [id, { result }] of session.writes) {
    if ("ids" in result && result.ids.includes(messageId))
      keepWrite(session, id, { digest: "redacted", result });
  }
}

/** Takes the request heads that have one of the texts from their sessions; answers how many there were. */
function dropHeads<M>(state: MemoryState<M>, texts: readonly string[]): number {
  const sessions = [...state.sessions.values()];
  const digests = new Set(sessions.flatMap(({ record }) => record.requestHead ?? []));
  const heads = [...digests].filter((digest) => {
    const content = state.blobs.get(digest) ?? "";
    const text = typeof content === "string" ? content : new TextDecoder().decode(content);
    return texts.some((each) => text.includes(each));
  });
  for (const session of sessions)
    if (heads.includes(session.record.requestHead ?? ""))
      session.record = Object.freeze({ ...session.record, requestHead: null });
  for (const digest of heads) dropBlob(state, digest);
  return heads.length;
}

function dropBlob<M>(state: MemoryState<M>, digest: string): boolean {
  const isHead = [...state.sessions.values()].some(({ record }) => record.requestHead === digest);
  return blobReferences(state, digest) === 0 && !isHead && state.blobs.delete(digest);
}

/** Takes texts out of what is kept beside the transcripts; answers how many values had some. */
function scrub<M>(
  state: MemoryState<M>,
  secrets: { readonly own: readonly string[]; readonly named: readonly string[] },
): number {
  const all = [...secrets.own, ...secrets.named];
  return (
    scrubEvents(state, all) +
    scrubOperations(state, { all, named: secrets.named }) +
    scrubSessions(state, secrets.named)
  );
}

function scrubEvents<M>(state: MemoryState<M>, texts: readonly string[]): number {
  let count = 0;
  for (const [id, event] of state.outbox) {
    const payload = payloadWithoutTexts(event, texts);
    if (payload === undefined) continue;
    state.outbox.set(id, Object.freeze({ ...event, payload }));
    count += 1;
  }
  return count;
}

function scrubOperations<M>(
  state: MemoryState<M>,
  texts: { readonly all: readonly string[]; readonly named: readonly string[] },
): number {
  let count = 0;
  for (const [id, operation] of state.operations) {
    const initialMessage = messageWithoutTexts(operation.initialMessage as JsonValue, texts.all);
    const { request, provision, failure } = operation;
    const rest = withoutTexts({ request, provision, reason: failure?.reason ?? null }, texts.named) as
      | { request: JsonObject; provision: JsonValue; reason: string }
      | undefined;
    if (initialMessage === undefined && rest === undefined) continue;
    const { reason, ...kept } = rest ?? { request, provision, reason: failure?.reason ?? "" };
    const next = { ...operation, ...kept, failure: failure && Object.freeze({ ...failure, reason }) };
    // The request's digest would tell a guessed text right; its repetition under the key is a conflict from now on.
    const changed = {
      requestDigest: "redacted",
      initialMessage: (initialMessage ?? operation.initialMessage) as M | null,
    };
    state.operations.set(id, Object.freeze({ ...next, ...changed }));
    count += 1;
  }
  return count;
}

function scrubSessions<M>(state: MemoryState<M>, texts: readonly string[]): number {
  const boxes = new Set([...state.sessions.values()].flatMap(({ sideState }) => [...sideState.values()]));
  let count = 0;
  for (const box of boxes) {
    const value = withoutTexts(box.current.value, texts);
    if (value === undefined) continue;
    box.current = Object.freeze({ ...box.current, value });
    count += 1;
  }
  for (const session of state.sessions.values()) {
    for (const [index, mark] of session.cancelMarks.entries()) {
      const reason = withoutTexts(mark.reason, texts);
      if (typeof reason !== "string") continue;
      session.cancelMarks = session.cancelMarks.with(index, Object.freeze({ ...mark, reason }));
      count += 1;
    }
  }
  return count;
}
