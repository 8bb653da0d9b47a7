import { memoryApprovalStore, memoryRuleStore } from "@basis/approval";
import type { Clock } from "@basis/core";
import type { CancelRequests, HostLedger, Intent } from "./host-ledger.ts";

/** A ledger that is lost with the process, for runs that are not kept. */
export function memoryLedger(clock?: Clock): HostLedger<unknown> {
  const approvals = memoryApprovalStore();
  const intents = new Map<string, Intent>();
  const rules = memoryRuleStore({ clock });
  let upkeepAt: number | undefined;
  return {
    approvals,
    rules,
    cancels: memoryCancels(),
    begin(_tx, intent, useUp) {
      useUp?.(approvals);
      intents.set(intent.callKey, intent);
    },
    finish(_tx, callKey, at) {
      const intent = intents.get(callKey);
      if (intent) intents.set(callKey, finished(intent, at));
    },
    async intentsOf(sessionId) {
      return [...intents.values()].filter((intent) => intent.sessionId === sessionId);
    },
    async forget(sessionIds) {
      const gone = new Set(sessionIds);
      for (const { callKey, sessionId } of intents.values()) {
        if (gone.has(sessionId)) intents.delete(callKey);
      }
      for (const within of gone) {
        for (const { id } of rules.list({ scope: "session", within })) rules.revoke(id);
      }
    },
    lastUpkeep: async () => upkeepAt,
    noteUpkeep: async (at) => void (upkeepAt = at),
  };
}

function finished(intent: Intent, finishedAt: number): Intent {
  const { callKey, sessionId, runId, toolCallId, toolName, level, digest, startedAt } = intent;
  return { callKey, sessionId, runId, toolCallId, toolName, level, digest, startedAt, finishedAt };
}

/** Nobody but this process reaches them. */
function memoryCancels(): CancelRequests {
  const asked = new Set<string>();
  return {
    ask: async ({ runId }) => void asked.add(runId),
    asked: async () => [...asked],
    settle: async (runId) => void asked.delete(runId),
  };
}
