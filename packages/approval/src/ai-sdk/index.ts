export { approveTools, type ApproveToolsOptions } from "./approve-tools.ts";
export type { ApprovalCallsOptions, ApprovedCall, CallFacts } from "../binding/approval-options.ts";
export type { CallGate } from "../binding/gated-calls.ts";
