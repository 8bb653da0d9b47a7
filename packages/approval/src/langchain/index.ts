export { approvalMiddleware, type ApprovalMiddlewareOptions } from "./approval-middleware.ts";
export type {
  ApprovalAnswer,
  ApprovalHooks,
  ApprovalQuestion,
  LangChain,
  ModelRequest,
  ToolCallRequest,
  ToolMessageFields,
} from "./lang-chain.ts";
export type { ApprovalCallsOptions, ApprovedCall, CallFacts } from "../binding/approval-options.ts";
export type { CallGate } from "../binding/gated-calls.ts";
