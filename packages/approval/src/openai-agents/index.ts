export { approveTools } from "./approve-tools.ts";
export type { ApprovedCall, ApproveToolsOptions, CallFacts } from "../ai-sdk/approve-tools.ts";
