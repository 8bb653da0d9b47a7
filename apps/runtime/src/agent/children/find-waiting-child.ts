import type { ApprovalRecord } from "@basis/approval";
import { isSessionError, type SessionRecord } from "@mobkit/session";
import type { HostLedger, Intent } from "../../store/host-ledger.ts";
import type { HostStore } from "../../store/host-store.ts";
import type { WaitingChild } from "../../tools/tool.ts";

/** Where children are looked for that nobody has kept. */
export interface ChildSearch {
  readonly store: HostStore;
  readonly ledger: Pick<HostLedger<never>, "approvals">;
  /** The session whose calls started them, and its agent. */
  readonly sessionId: string;
  readonly agentId: string;
}

/** A child that waits, found by the intent of the call that started it. */
export type FindWaitingChild = (intent: Intent) => Promise<WaitingChild | undefined>;

/**
 * Finds the children that wait for an approval although their parent's process died before it kept that: by the questions
 * that agents below this one have asked, and the sessions that they were asked in. What a child was started with is known
 * by the digest of the call's intent.
 */
export function waitingChildrenOf(search: ChildSearch): FindWaitingChild {
  let asked: Promise<readonly ApprovalRecord[]> | undefined;
  return async (intent) => {
    asked ??= questionsBelow(search);
    for (const { approvalId, agentId, sessionId } of await asked) {
      const session = await childAbove(search, sessionId);
      if (session === undefined || session.openCalls.length === 0 || !isStartedBy(session, intent)) continue;
      const [segment = ""] = agentId.slice(search.agentId.length + 1).split("/");
      return {
        sessionId: session.id,
        agentId: `${search.agentId}/${segment}`,
        name: segment.slice(0, segment.lastIndexOf("-")),
        approvalId,
        approvedDigest: intent.digest,
      };
    }
    return undefined;
  };
}

/** What agents below this one wait to be told, the newest question first. */
async function questionsBelow({ ledger, agentId }: ChildSearch): Promise<readonly ApprovalRecord[]> {
  const states = ["open", "allowed", "denied"] as const;
  const records = await Promise.all(states.map(async (state) => ledger.approvals.list({ state })));
  return records
    .flat()
    .filter((record) => record.agentId.startsWith(`${agentId}/`))
    .toSorted((left, right) => right.createdAt - left.createdAt);
}

/** The session on the way up from another one that was started by a call of the parent's; undefined where the way is cut. */
async function childAbove(
  { store, sessionId: parentId }: ChildSearch,
  from: string | undefined,
): Promise<SessionRecord | undefined> {
  try {
    for (let id = from; id !== undefined;) {
      const session = await store.head(id);
      if (session.spawnedBy?.sessionId === parentId) return session;
      id = session.spawnedBy?.sessionId;
    }
    return undefined;
  } catch (error) {
    if (isSessionError(error, "unknown_session")) return undefined;
    throw error;
  }
}

/** True for the session of a child that the call of the intent started. */
export function isStartedBy({ spawnedBy }: SessionRecord, { runId, toolCallId }: Intent): boolean {
  return spawnedBy?.runId === runId && spawnedBy.callId === toolCallId;
}
