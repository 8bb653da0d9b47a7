export { isLive, redeemApproval, resolveApproval } from "../approval-record.ts";
export { copyDenials } from "../rule-store.ts";
export { checkRule } from "../rule.ts";
export { deadRules, type DeadRule, type DeadRuleOptions } from "./dead-rules.ts";
