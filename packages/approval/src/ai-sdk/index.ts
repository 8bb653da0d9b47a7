export {
  approveTools,
  type ApprovedCall,
  type ApproveToolsOptions,
  type CallFacts,
} from "./approve-tools.ts";
