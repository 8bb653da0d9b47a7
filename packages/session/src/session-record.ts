import type { TokenUsage } from "@basis/core";

/**
 * `pending`: committed by a fork, not yet seated; nobody can read it by name or write to it. `ready`: in use.
 * `archived` and `quarantined`: readable, neither written nor forked. `tombstone`: deleted; its rows live on only
 * where a fork reaches them.
 */
export type SessionState = "pending" | "ready" | "archived" | "quarantined" | "tombstone";

/** The lease as stored. `epoch` never goes back; `owner` and `expiresAt` are null while nobody holds it. */
export interface LeaseRecord {
  readonly epoch: number;
  readonly owner: string | null;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly expiresAt: number | null;
}

/** The prefix of another session that a forked session began with. Readable after that session's deletion. */
export interface SessionParent {
  readonly sessionId: string;
  readonly len: number;
  readonly digest: string;
}

/** The call of another session's run that this session works for. It shares no history with it. */
export interface SpawnedBy {
  readonly sessionId: string;
  readonly runId: string;
  readonly callId: string;
}

/** What a session knows about itself without reading a message. Frozen; a new one is answered after every change. */
export interface SessionRecord {
  /** A UUID of version 7: ids sort by age. */
  readonly id: string;
  readonly state: SessionState;
  /** The member seated on it; null until a fork is seated, and after the member is retired. */
  readonly binding: { readonly member: string } | null;
  /** Messages inherited from the parent; 0 for a session that was created. */
  readonly baseLen: number;
  /** Messages in the transcript; positions run from 0 to `len - 1`. */
  readonly len: number;
  /** The greatest length at which no call and no approval is open. */
  readonly settledLen: number;
  /** Keys of the calls and approvals that are open at `len`, in the order they were opened. */
  readonly openCalls: readonly string[];
  /** The number that the session's next own row gets. Never reused, not even after a cancel. */
  readonly nextSeq: number;
  /** Grows by one with every fenced write. */
  readonly rev: number;
  /** The prefix digest at `len`. */
  readonly headDigest: string;
  /** The turn that is running, if any; set and cleared by its owner in a fenced write. */
  readonly runTurn: string | null;
  readonly queuedInputs: number;
  readonly pendingApprovals: number;
  readonly lease: LeaseRecord;
  /** Digest of the blob with the request's head (system, tools, model settings); inherited by forks. */
  readonly requestHead: string | null;
  /** `own` is spent by this session; `inherited` was spent on the prefix that it began with. */
  readonly usage: { readonly own: TokenUsage; readonly inherited: TokenUsage };
  readonly parent: SessionParent | null;
  readonly spawnedBy: SpawnedBy | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** True while a turn is open, an input is queued or an approval is pending. A lease that is merely held doesn't count. */
export function isRunning(
  session: Pick<SessionRecord, "runTurn" | "queuedInputs" | "pendingApprovals">,
): boolean {
  return session.runTurn !== null || session.queuedInputs > 0 || session.pendingApprovals > 0;
}
