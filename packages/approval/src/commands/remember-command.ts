import { isJsonObject, type JsonValue } from "@basis/core";
import { ruleText } from "../approval-request.ts";
import type { CommandJudge } from "../command-judge.ts";
import type { CommandPattern } from "../command-pattern.ts";
import { decideByRules } from "../decide-by-rules.ts";
import { narrowestRule } from "../narrowest-rule.ts";
import type { RuleMoment, RuleSubject } from "../opened-call.ts";
import type { ApprovalRule, RuleScope, StoredRule } from "../rule.ts";
import { hasWildcard } from "../wildcard.ts";
import type { CommandLine } from "./command-line.ts";
import { redirectionText } from "./cover-command.ts";
import type { ShellReading } from "./read-shell-text.ts";
import { similarCommands } from "./similar-commands.ts";
import { literalTexts, type SimpleCommand } from "./word.ts";

/** How a command is remembered. */
export interface RememberCommandOptions {
  /** How many words of each part a rule spells; any harmless words may follow. Absent: this exact call and no other. */
  readonly words?: number | undefined;
  /** Default `session`. */
  readonly scope?: RuleScope | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

/** Rules that allow a command from now on, and what comes with them, tried out on the matcher that will decide. */
export interface RememberedCommand {
  readonly rules: readonly ApprovalRule[];
  /** Commands like this one that the rules also allow. */
  readonly alsoAllows: readonly string[];
  /** Commands like this one that they leave to be asked about. */
  readonly stillAsks: readonly string[];
}

/** What remembering works with. */
export interface RememberContext {
  readonly judge: CommandJudge;
  readonly line: CommandLine | undefined;
  readonly reading: ShellReading | undefined;
}

/** Makes the rules; falls back to this exact call where rules by words would not allow it. */
export function rememberCommand(
  call: RuleSubject,
  { words, ...options }: RememberCommandOptions,
  context: RememberContext,
): RememberedCommand {
  const { rule } = narrowestRule(call, options);
  const moment: RuleMoment = { nowMs: 0, commands: context.judge };
  const byWords = words === undefined ? [] : wordRules(rule, words, context);
  const works = byWords.length > 0 && allows(byWords, call, moment);
  const rules = works ? byWords : [rule];
  const alsoAllows: string[] = [];
  const stillAsks: string[] = [];
  for (const similar of similarCommands(context.line, context.reading)) {
    const other = withCommand(call, similar.line);
    if (other === undefined) continue;
    (allows(rules, other, moment) ? alsoAllows : stillAsks).push(similar.shown);
  }
  return { rules, alsoAllows, stillAsks };
}

function wordRules(rule: ApprovalRule, words: number, { line, reading }: RememberContext): ApprovalRule[] {
  if (line === undefined || reading === undefined || !reading.total) return [];
  const patterns = reading.commands.map((command) => patternOf(command, words, line));
  if (patterns.includes(undefined)) return [];
  return patterns.map((command) => ({ ...rule, pattern: { command: command! } }));
}

function patternOf(command: SimpleCommand, words: number, line: CommandLine): CommandPattern | undefined {
  const texts = literalTexts(command.words.slice(0, Math.max(1, words)));
  const assign = command.assignments.map(({ name, value }) => `${name}=${value.text}`);
  const redirect = command.redirections.map(redirectionText);
  if (texts === undefined || texts.length === 0 || [...assign, ...redirect].some(hasWildcard))
    return undefined;
  return {
    words: texts,
    rest: "any",
    ...(assign.length > 0 ? { assign } : {}),
    ...(redirect.length > 0 ? { redirect } : {}),
    ...(line.cwd === undefined ? {} : { cwd: line.cwd }),
    ...(line.target === undefined ? {} : { target: line.target }),
  };
}

function allows(rules: readonly ApprovalRule[], call: RuleSubject, moment: RuleMoment): boolean {
  const stored: StoredRule[] = rules.map((rule, at) => ({
    ...rule,
    expiresAt: undefined,
    id: `${at}`,
    createdAt: 0,
  }));
  return decideByRules(stored, call, moment)?.effect === "allow";
}

/** The same call with another command in it. */
function withCommand(call: RuleSubject, line: CommandLine): RuleSubject | undefined {
  const subject = ruleText(call);
  if (!isJsonObject(subject)) return undefined;
  const changed: Record<string, JsonValue> = { ...subject };
  if ("argv" in line) changed["argv"] = line.argv;
  else if (Object.hasOwn(subject, "body")) changed["body"] = line.shell;
  else changed["command"] = line.shell;
  return { ...call, preview: changed };
}
