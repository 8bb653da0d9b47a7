export { answerToolUses, type AnswerOptions, type ToolResult } from "./answer-tool-uses.ts";
export { guardTools } from "./guard-tools.ts";
export type { GuardAnthropicToolsOptions } from "./guarded-tool.ts";
export type { GuardOptions, ToolGuards } from "../binding/tool-guards.ts";
export type { InputValidator } from "../binding/input-check.ts";
