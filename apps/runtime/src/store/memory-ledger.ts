import { memoryApprovalStore } from "@basis/approval";
import type { HostLedger, Intent } from "./host-ledger.ts";

/** A ledger that is lost with the process, for runs that are not kept. */
export function memoryLedger(): HostLedger<unknown> {
  const approvals = memoryApprovalStore();
  const intents = new Map<string, Intent>();
  return {
    approvals,
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
