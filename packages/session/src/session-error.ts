import { BasisError, isBasisError, type JsonObject } from "@basis/core";
import type { SessionState } from "./session-record.ts";

/** Why a fork's boundary was refused. */
export type ForkBoundaryReason =
  | "out_of_range"
  | "split"
  | "empty"
  | "revision_changed"
  | "unknown_message"
  | "unknown_turn";

/** Why a session can't be forked now: what it is doing, or the state it is in. */
export type SourceUnavailableCause = "running" | "archived" | "quarantined" | "pending" | "no_session";

/** What is wrong with a bundle, by kind. */
export type BundleProblem =
  | "oversized_line"
  | "not_json"
  | "duplicate_key"
  | "prototype_key"
  | "unexpected_line"
  | "invalid_field"
  | "foreign_span"
  | "lineage_cycle"
  | "duplicate_seq"
  | "broken_order"
  | "invalid_message"
  | "wrong_digest"
  | "missing_blob"
  | "truncated";

/** The facts of each refusal, by code. Lengths are counts of messages; a `null` neighbour means that there is none. */
export type SessionErrorDetails = {
  invalid_request: { field: string; reason: string };
  invalid_message: { index: number; problem: string };
  unknown_session: { sessionId: string };
  unknown_member: { member: string };
  unknown_operation: { operationId: string };
  member_already_exists: { member: string; holder: "reserved" | "seated" };
  session_exists: { sessionId: string };
  session_unavailable: { sessionId: string; state: SessionState };
  source_unavailable: { sessionId: string; cause: SourceUnavailableCause; settledLen: number };
  revision_conflict: { sessionId: string; expected: number; actual: number };
  stale_fence: { sessionId: string; epoch: number; current: number };
  lease_held: { sessionId: string; owner: string; expiresAt: number };
  open_calls: { index: number; open: string[] };
  unmatched_result: { index: number; call: string };
  duplicate_call: { index: number; call: string };
  duplicate_message: { index: number; id: string };
  write_id_conflict: { sessionId: string; writeId: string };
  idempotency_conflict: { operationId: string; idempotencyKey: string };
  fork_boundary: {
    reason: ForkBoundaryReason;
    at: number | null;
    len: number;
    settledLen: number;
    nearestBefore: number | null;
    nearestAfter: number | null;
  };
  invalid_boundary: { reason: "out_of_range" | "split" | "inherited"; at: number; len: number };
  claim_held: { operationId: string; owner: string; expiresAt: number };
  stale_claim: { operationId: string; epoch: number; current: number };
  operation_closed: { operationId: string; state: "seated" | "abandoned" };
  event_consumed: { eventId: string };
  blob_missing: { digest: string };
  shape_mismatch: { stored: string; given: string };
  invalid_bundle: { line: number; problem: BundleProblem; field: string; reason: string };
  bundle_newer: { version: number; supported: number };
  bundle_stale: { sessionId: string; reason: string };
  store_newer: { stored: number; supported: number };
  store_corrupt: { reason: string };
  store_unavailable: { reason: string };
  busy: { waitedMs: number };
};

/** Every code that a session store refuses with. */
export type SessionErrorCode = keyof SessionErrorDetails;

/**
 * The one error class of session stores. `code` is closed and narrows `details` on a value that `isSessionError` let
 * through. Except for `store_unavailable` and `busy` at a commit whose reply was lost, a thrown SessionError
 * means that nothing was written.
 */
export class SessionError<Code extends SessionErrorCode = SessionErrorCode> extends BasisError<
  Code,
  SessionErrorDetails[Code] & JsonObject
> {
  constructor(code: Code, message: string, options: SessionErrorOptions<Code>) {
    super(code, message, options);
    Object.freeze(this.details);
  }
}

/** What a SessionError is made from, beside its code and message. */
export interface SessionErrorOptions<Code extends SessionErrorCode> {
  readonly details: SessionErrorDetails[Code];
  readonly cause?: unknown;
}

/** A SessionError whose `code` tells its `details` apart. */
export type AnySessionError = { [Code in SessionErrorCode]: SessionError<Code> }[SessionErrorCode];

/** True for a SessionError of any installed copy; with `code`, for that one refusal. */
export function isSessionError<Code extends SessionErrorCode>(
  value: unknown,
  code: Code,
): value is SessionError<Code>;
export function isSessionError(value: unknown): value is AnySessionError;
export function isSessionError(value: unknown, code?: SessionErrorCode): boolean {
  return isBasisError(value, "SessionError") && (code === undefined || value.code === code);
}
