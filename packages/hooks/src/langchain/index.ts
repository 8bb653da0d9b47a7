export { guardTools, type GuardLangChainToolsOptions } from "./guard-tools.ts";
export { guardMiddleware, type GuardMiddlewareOptions } from "./guard-middleware.ts";
export type {
  GuardHooks,
  LangChain,
  ModelRequest,
  ToolCallRequest,
  ToolMessageFields,
} from "./lang-chain.ts";
export type { GuardOptions, ToolGuards } from "../binding/tool-guards.ts";
export type { InputValidator } from "../binding/input-check.ts";
