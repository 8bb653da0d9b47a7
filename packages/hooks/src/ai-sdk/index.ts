export { guardTools, type GuardToolsOptions } from "./guard-tools.ts";
export { refuseProviderCalls, type ProviderCallsMiddleware } from "./provider-calls.ts";
export type { GuardOptions, ToolGuards } from "../binding/tool-guards.ts";
export type { InputValidator } from "../binding/input-check.ts";
