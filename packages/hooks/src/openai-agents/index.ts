export { guardAgent, type GuardAgentOptions } from "./guard-agent.ts";
export { guardTools, type GuardToolsOptions } from "./guard-tools.ts";
export type { ToolGuards } from "../ai-sdk/guard-tools.ts";
export type { InputValidator } from "../ai-sdk/input-check.ts";
