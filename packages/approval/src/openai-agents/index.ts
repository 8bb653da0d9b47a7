export { approveTools } from "./approve-tools.ts";
export type {
  ApprovalCallsOptions,
  ApprovedCall,
  ApproveToolsOptions,
  CallFacts,
} from "../binding/approval-options.ts";
export type { CallGate } from "../binding/gated-calls.ts";
