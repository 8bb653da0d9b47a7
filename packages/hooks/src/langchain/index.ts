export { guardTools, type GuardLangChainToolsOptions } from "./guard-tools.ts";
export { guardMiddleware, type GuardMiddlewareOptions } from "./guard-middleware.ts";
export type {
  GuardHooks,
  LangChain,
  ModelRequest,
  ToolCallRequest,
  ToolMessageFields,
} from "./lang-chain.ts";
export type { ToolGuards } from "../ai-sdk/guard-tools.ts";
export type { InputValidator } from "../ai-sdk/input-check.ts";
