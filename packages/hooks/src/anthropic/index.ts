export { answerToolUses, type AnswerOptions, type ToolResult } from "./answer-tool-uses.ts";
export { guardTools } from "./guard-tools.ts";
export type { GuardAnthropicToolsOptions } from "./guarded-tool.ts";
export type { ToolGuards } from "../ai-sdk/guard-tools.ts";
export type { InputValidator } from "../ai-sdk/input-check.ts";
