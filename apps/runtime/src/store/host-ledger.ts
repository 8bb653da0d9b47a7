import type { SideEffectLevel } from "@basis/core";
import type { ApprovalStore, RuleStore, SyncApprovalStore } from "@basis/approval";
import type { Later } from "../events/event-log.ts";

/** A call that is about to run, or has run. What it ran with is known by digest alone. */
export interface Intent {
  /** The host's own key: session, row and index of the call. */
  readonly callKey: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly level: SideEffectLevel;
  readonly digest: string;
  readonly startedAt: number;
  /** Absent while it runs, and for ever when the process died under it. */
  readonly finishedAt?: number;
}

/** Uses an approval up, of this process or of the store; throws when there is none. May be called again. */
export type UseUp = (approvals: Pick<SyncApprovalStore, "redeem" | "name">) => void;

/** Runs that somebody asked to cancel, from whichever process; the one that runs the turn looks here. */
export interface CancelRequests {
  ask(request: { readonly runId: string; readonly sessionId: string; readonly at: number }): Promise<void>;
  /** The runs that were asked for and not settled. */
  asked(): Promise<readonly string[]>;
  /** Forgets a request whose run has ended. */
  settle(runId: string): Promise<void>;
}

/**
 * What the host keeps beside the transcripts: intents, approvals and rules. The calls that take a `tx` join a transaction
 * of the session store, so that using an approval up, recording the intent and the fence are one commit.
 */
export interface HostLedger<Tx> {
  readonly approvals: ApprovalStore;
  readonly rules: RuleStore;
  readonly cancels: CancelRequests;
  /** Uses the approval up that allows the call, and records its intent. What `useUp` throws undoes both. */
  begin(tx: Tx, intent: Intent, useUp?: UseUp): Later<void>;
  finish(tx: Tx, callKey: string, at: number): Later<void>;
  /** The intents of a session, oldest first. */
  intentsOf(sessionId: string): Promise<readonly Intent[]>;
  /** Deletes what is kept for sessions: intents, approvals, and the rules that hold in them alone. */
  forget(sessionIds: readonly string[]): Promise<void>;
  /** When the store was last looked after to the end; undefined when it never was. */
  lastUpkeep(): Promise<number | undefined>;
  noteUpkeep(at: number): Promise<void>;
}
