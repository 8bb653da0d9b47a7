export { guardTools, type GuardToolsOptions, type ToolGuards } from "./guard-tools.ts";
export type { InputValidator } from "./input-check.ts";
