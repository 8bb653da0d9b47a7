import { newId, sha256, type JsonValue } from "@basis/core";
import type { NewContextMark } from "./context-mark.ts";
import { blobDigest, encodeBody, isLonger, maxInlineBytes } from "./message-body.ts";
import { checkCount, checkName, encodeJson, invalidRequest } from "./request-checks.ts";
import { newSalt } from "./row-digest.ts";
import { SessionError } from "./session-error.ts";
import type { AppendRequest, CancelRequest, SessionChange } from "./session-write.ts";
import type { WorkRequest } from "./store.ts";
import type { MessageFacts, TranscriptShape } from "./transcript-shape.ts";
import { checkChange, checkList, checkRecord, checkRepeatable } from "./write-checks.ts";

/** A message that is ready for its row: read, encoded and salted before the transaction begins. */
export interface PreparedMessage {
  readonly id: string;
  /** True for an id of the caller's, which the store has to look for in the transcript. */
  readonly givenId: boolean;
  readonly facts: MessageFacts;
  /** Canonical JSON. */
  readonly text: string;
  /** The blob that `text` is kept in, when it is too long for its row. */
  readonly blob: string | null;
  readonly salt: string;
}

/** A fenced write of any kind, checked as far as the request alone allows. */
export interface PreparedWrite<Tx = unknown> {
  readonly change: SessionChange<Tx>;
  readonly messages: readonly PreparedMessage[];
  readonly turnId: string | null;
  readonly blobs: readonly string[];
  readonly mark: NewContextMark | null;
  readonly cancel: { readonly to: number; readonly reason: string } | null;
  /** What a write id stands for; null without one. */
  readonly contentDigest: string | null;
}

/** What a preparation needs to know of the store. */
export interface WriteOrigin<M> {
  readonly shape: TranscriptShape<M>;
  readonly now: number;
}

/** Prepares an append. @throws SessionError `invalid_request`, `invalid_message`. */
export function prepareAppend<M, Tx>(
  request: AppendRequest<M, Tx>,
  origin: WriteOrigin<M>,
): PreparedWrite<Tx> {
  if (!Array.isArray(request.messages) || request.messages.length === 0) {
    throw invalidRequest("messages", "must hold at least one message");
  }
  if (request.mark !== undefined) {
    checkRecord("mark", request.mark);
    checkCount("mark.keepFrom", request.mark.keepFrom);
    checkCount("mark.summarises", request.mark.summarises);
  }
  const blobs = checkList("blobs", request.blobs);
  for (const digest of blobs) checkName("blobs", digest);
  const messages = prepareMessages(request, origin);
  const mark = request.mark ?? null;
  return seal(request, { messages, mark, blobs, cancel: null });
}

/** Prepares an update. @throws SessionError `invalid_request`. */
export function prepareUpdate<Tx>(request: SessionChange<Tx>): PreparedWrite<Tx> {
  return seal(request, NOTHING);
}

/** Prepares a cancel. @throws SessionError `invalid_request`, `invalid_message`. */
export function prepareCancel<M, Tx>(
  request: CancelRequest<M, Tx>,
  origin: WriteOrigin<M>,
): PreparedWrite<Tx> {
  const cancel = { to: checkCount("to", request.to), reason: checkName("reason", request.reason) };
  const messages = prepareMessages({ ...request, messages: request.messages ?? [] }, origin);
  return seal(request, { messages, mark: null, blobs: [], cancel });
}

/** What the write id of an `adjustWork` stands for. @throws SessionError `invalid_request`. */
export function workDigest(
  request: Pick<WorkRequest<never>, "queuedInputs" | "pendingApprovals" | "writeId" | "join">,
): string {
  checkRepeatable(request);
  const { queuedInputs = 0, pendingApprovals = 0 } = request;
  return `sha256:${sha256(encodeJson("work", { work: { queuedInputs, pendingApprovals } }))}`;
}

/** The message as it is kept, or the refusal. `index` is its place in the request. */
export function encodeMessage<M>(
  shape: TranscriptShape<M>,
  message: M,
  index = 0,
): { readonly facts: MessageFacts; readonly text: string; readonly blob: string | null } {
  const facts = shape.inspect(message);
  if ("problem" in facts) throw invalidMessage(index, facts.problem);
  const body = encodeBody(message);
  if ("problem" in body) throw invalidMessage(index, body.problem);
  const { text } = body;
  return { facts, text, blob: isLonger(text, maxInlineBytes) ? blobDigest(text) : null };
}

type MessageFields<M> = Pick<AppendRequest<M>, "messages" | "ids" | "turnId">;

function prepareMessages<M>(request: MessageFields<M>, origin: WriteOrigin<M>): PreparedMessage[] {
  const { messages, ids, turnId = null } = request;
  if (turnId !== null) checkName("turnId", turnId);
  if (!Array.isArray(messages)) throw invalidRequest("messages", "must be a list");
  checkIds(ids, messages.length);
  // A hole is no message, and `map` would pass it over.
  return Array.from(messages as readonly M[], (message, index) => {
    const { facts, text, blob } = encodeMessage(origin.shape, message, index);
    const id = ids?.[index] ?? newId(origin.now);
    return { id, givenId: ids !== undefined, facts, text, blob, salt: newSalt() };
  });
}

function checkIds(ids: readonly string[] | undefined, count: number): void {
  if (ids === undefined) return;
  checkList("ids", ids);
  if (ids.length !== count) throw invalidRequest("ids", `must be as many as messages (${count})`);
  for (const [index, id] of ids.entries()) {
    checkName("ids", id);
    if (ids.indexOf(id) === index) continue;
    throw new SessionError("duplicate_message", `the id ${id} stands twice`, { details: { index, id } });
  }
}

/** What a write does to the transcript. */
type WriteParts = Pick<PreparedWrite, "messages" | "mark" | "blobs" | "cancel">;

const NOTHING: WriteParts = Object.freeze({
  messages: Object.freeze([]),
  mark: null,
  blobs: Object.freeze([]),
  cancel: null,
});

type WriteFields<Tx> = SessionChange<Tx> & {
  readonly turnId?: string | undefined;
  readonly ids?: readonly string[] | undefined;
};

function seal<Tx>(request: WriteFields<Tx>, parts: WriteParts): PreparedWrite<Tx> {
  checkChange(request);
  return {
    change: request,
    messages: parts.messages,
    turnId: request.turnId ?? null,
    blobs: parts.blobs,
    mark: parts.mark,
    cancel: parts.cancel,
    contentDigest: request.writeId === undefined ? null : contentDigestOf(request, parts),
  };
}

/** What a write id stands for beside messages, mark, blobs and cancel: all but lease, revision, join and signal. */
const CONTENT = [
  "writeId",
  "ids",
  "turnId",
  "runTurn",
  "queuedInputs",
  "pendingApprovals",
  "usage",
  "requestHead",
  "sideState",
  "events",
  "consumes",
] as const;

/** Covers the names of the fields that are there, each before its content, in one order. */
function contentDigestOf<Tx>(request: WriteFields<Tx>, parts: WriteParts): string {
  const { messages, mark, blobs, cancel } = parts;
  const content: (string | null | readonly string[])[] = [messages.map(({ text }) => text), blobs];
  for (const field of CONTENT) {
    const value = request[field];
    if (value !== undefined) content.push(field, flatText(field, value as JsonValue));
  }
  if (mark !== null) content.push("mark", encodeJson("mark", mark));
  if (cancel !== null) content.push("cancel", encodeJson("cancel", cancel));
  return `sha256:${sha256(JSON.stringify(content))}`;
}

/** A text as it is, since the field's name says how to read it; anything else as canonical JSON. */
function flatText(field: string, value: JsonValue): string | null {
  return typeof value === "string" || value === null ? value : encodeJson(field, value);
}

function invalidMessage(index: number, problem: string): SessionError {
  return new SessionError("invalid_message", `message ${index} can't be kept: ${problem}`, {
    details: { index, problem },
  });
}
