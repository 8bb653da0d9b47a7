export { approveTools } from "./approve-tools.ts";
export type { ApproveToolsOptions } from "../ai-sdk/approve-tools.ts";
export type { ApprovalCallsOptions, ApprovedCall, CallFacts } from "../binding/approval-options.ts";
export type { CallGate } from "../binding/gated-calls.ts";
