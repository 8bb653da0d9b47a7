import { memoryApprovalStore, memoryRuleStore } from "@basis/approval";
import type { Clock } from "@basis/core";
import type { HostLedger, Intent } from "./host-ledger.ts";

/** A ledger that is lost with the process, for runs that are not kept. */
export function memoryLedger(clock?: Clock): HostLedger<unknown> {
  const approvals = memoryApprovalStore();
  const intents = new Map<string, Intent>();
  return {
    approvals,
    rules: memoryRuleStore({ clock }),
    approvalsIn: () => approvals,
    begin: (_tx, intent) => void intents.set(intent.callKey, intent),
    finish(_tx, callKey, at) {
      const intent = intents.get(callKey);
      if (intent) intents.set(callKey, { ...intent, finishedAt: at });
    },
    async intentsOf(sessionId) {
      return [...intents.values()].filter((intent) => intent.sessionId === sessionId);
    },
  };
}
