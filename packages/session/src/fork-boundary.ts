import { checkCount, checkName, invalidRequest } from "./request-checks.ts";
import { SessionError, type ForkBoundaryReason, type SourceUnavailableCause } from "./session-error.ts";
import type { ForkPointRequest } from "./session-forks.ts";
import { isRunning, type SessionRecord, type SessionState } from "./session-record.ts";
import type { PrefixRecord } from "./transcript-row.ts";

/** A boundary as asked for: a length, or a row or turn that the store has to look up in the transcript. */
export type AskedBoundary =
  | { readonly length: number }
  | { readonly messageId: string }
  | { readonly turnId: string };

const UNFORKABLE: Readonly<Record<Exclude<SessionState, "ready">, SourceUnavailableCause>> = Object.freeze({
  pending: "pending",
  archived: "archived",
  quarantined: "quarantined",
  tombstone: "no_session",
});

/**
 * Refuses a source that can't be forked now. Pure.
 * @throws SessionError `source_unavailable`, `unknown_member` (the session isn't that member's any more).
 */
export function checkForkSource(source: SessionRecord, request: ForkPointRequest): void {
  if (source.state !== "ready") throw sourceUnavailable(source, UNFORKABLE[source.state]);
  const { member } = request.source;
  if (source.binding?.member !== member) {
    throw new SessionError("unknown_member", `session ${source.id} has no member ${member}`, {
      details: { member },
    });
  }
  if (isRunning(source) && request.whileRunning !== "settled") throw sourceUnavailable(source, "running");
}

/**
 * The boundary that a request means on this source. Pure.
 * @throws SessionError `fork_boundary` (`out_of_range`), `invalid_request`.
 */
export function askedBoundary(source: SessionRecord, request: ForkPointRequest): AskedBoundary {
  const { at } = request;
  if (at === "settled") return { length: source.settledLen };
  if (at === undefined)
    return { length: request.whileRunning === "settled" ? source.settledLen : source.len };
  if (typeof at === "object" && at !== null) return namedBoundary(at);
  if (checkCount("at", at) > source.len) throw forkBoundary("out_of_range", { source, at });
  return { length: at };
}

/** Exactly one of the two names; one that is undefined counts as absent. */
function namedBoundary(at: { readonly messageId?: string; readonly turnId?: string }): AskedBoundary {
  const { messageId, turnId } = at;
  if (messageId !== undefined && turnId !== undefined)
    throw invalidRequest("at", "names a message and a turn");
  if (messageId !== undefined) return { messageId: checkName("at.messageId", messageId) };
  return { turnId: checkName("at.turnId", turnId) };
}

/**
 * Refuses a boundary that no fork may have. Pure; `prefix` is the source's at that length.
 * @throws SessionError `fork_boundary` (`revision_changed`, `empty`, `split`).
 */
export function checkForkBoundary(
  source: SessionRecord,
  request: ForkPointRequest,
  prefix: PrefixRecord,
): void {
  const { expect } = request;
  const place = { source, at: prefix.length, prefix };
  if (expect?.rev !== undefined && expect.rev !== source.rev) throw forkBoundary("revision_changed", place);
  if (prefix.openAfter > 0) throw forkBoundary("split", place);
  if (expect?.digest !== undefined && expect.digest !== prefix.digest) {
    throw forkBoundary("revision_changed", place);
  }
  if (prefix.length === 0 && request.allowEmpty !== true) throw forkBoundary("empty", place);
}

/** Where a refused boundary lies. */
export interface RefusedBoundary {
  readonly source: SessionRecord;
  /** Null when the request named a message or turn. */
  readonly at: number | null;
  readonly prefix?: PrefixRecord | undefined;
}

const WORDS: Readonly<Record<ForkBoundaryReason, string>> = Object.freeze({
  out_of_range: "lies beyond its end",
  split: "would split a call from its result",
  empty: "would fork nothing",
  revision_changed: "is no longer what was expected",
  unknown_message: "names a message that it doesn't hold",
  unknown_turn: "names a turn that it doesn't hold",
});

/** The refusal of a fork's boundary; it offers the nearest lengths with nothing open. */
export function forkBoundary(
  reason: ForkBoundaryReason,
  refused: RefusedBoundary,
): SessionError<"fork_boundary"> {
  const { source, at, prefix } = refused;
  const { len, settledLen } = source;
  const place = at === null ? "the boundary" : `boundary ${at}`;
  const message = `${place} of session ${source.id} ${WORDS[reason]} (length ${len}, settled at ${settledLen})`;
  const nearestBefore = prefix?.nearestBefore ?? settledLen;
  const nearestAfter = prefix?.nearestAfter ?? null;
  return new SessionError("fork_boundary", message, {
    details: { reason, at, len, settledLen, nearestBefore, nearestAfter },
  });
}

function sourceUnavailable(source: SessionRecord, cause: SourceUnavailableCause): SessionError {
  return new SessionError("source_unavailable", `session ${source.id} can't be forked: ${cause}`, {
    details: { sessionId: source.id, cause, settledLen: source.settledLen },
  });
}
