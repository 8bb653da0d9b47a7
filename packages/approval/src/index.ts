export { approvalDigest, type ApprovalEvidence } from "./approval-digest.ts";
export {
  ApprovalError,
  type AnyApprovalError,
  type ApprovalErrorCode,
  type ApprovalErrorDetails,
  type StaleCause,
} from "./approval-error.ts";
export type {
  ApprovalRecord,
  ApprovalResolution,
  ApprovalState,
  RedeemResult,
  Redemption,
  ResolveResult,
} from "./approval-record.ts";
export type { ApprovalRequest, ApprovalSubject } from "./approval-request.ts";
export {
  memoryApprovalStore,
  type ApprovalFilter,
  type ApprovalStore,
  type SyncApprovalStore,
} from "./approval-store.ts";
export { allowAll, byLevel, denyAll, type Approver, type ApproverAnswer } from "./approver.ts";
export type { AuthorizeOutcome, DenyOutcome } from "./authorize-outcome.ts";
export { decideByRules, type RuleDecision } from "./decide-by-rules.ts";
export type { ApprovalGateOptions } from "./gate-options.ts";
export type { CommandJudge, CommandStart, CommandView } from "./command-judge.ts";
export type { CommandPattern } from "./command-pattern.ts";
export {
  createApprovalGate,
  type ApprovalGate,
  type AuthorizeOptions,
  type GateCallOptions,
} from "./gate.ts";
export { narrowestRule, type NarrowestRule, type NarrowestRuleOptions } from "./narrowest-rule.ts";
export type { RuleMoment, RuleSubject } from "./opened-call.ts";
export type { RedeemCall, RedeemStore, SyncRedeemStore } from "./redeem-approval.ts";
export {
  exportRules,
  memoryRuleStore,
  type MemoryRuleStore,
  type MemoryRuleStoreOptions,
  type RuleExport,
  type RuleFilter,
  type RuleQuery,
  type RuleStore,
} from "./rule-store.ts";
export type { ApprovalRule, FieldPattern, RulePattern, RuleScope, RuleTools, StoredRule } from "./rule.ts";
export type { MaybePromise } from "./store-patience.ts";
export { visibleText, type VisibleTextOptions } from "@basis/core";
