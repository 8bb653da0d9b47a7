export type { CommandJudge, CommandView } from "../command-judge.ts";
export type { CommandPattern } from "../command-pattern.ts";
export { commandLineOf, type CommandLine } from "./command-line.ts";
export { openCommandRules, type CommandRules, type CommandRulesOptions } from "./command-rules.ts";
export type { RememberCommandOptions, RememberedCommand } from "./remember-command.ts";
