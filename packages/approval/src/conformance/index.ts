export { approvalStoreCases, type StoreCase } from "./approval-store-cases.ts";
export { ruleStoreCases } from "./rule-store-cases.ts";
