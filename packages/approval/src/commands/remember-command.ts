import { isJsonObject, visibleText, type JsonValue } from "@basis/core";
import { ruleText } from "../approval-request.ts";
import type { CommandJudge } from "../command-judge.ts";
import type { CommandPattern } from "../command-pattern.ts";
import { decideByRules } from "../decide-by-rules.ts";
import { narrowestRule } from "../narrowest-rule.ts";
import type { RuleMoment, RuleSubject } from "../opened-call.ts";
import type { ApprovalRule, RuleScope, StoredRule } from "../rule.ts";
import { hasWildcard } from "../wildcard.ts";
import type { CommandLine } from "./command-line.ts";
import { carrierOf, transparentWords } from "./carrier.ts";
import { redirectionText } from "./cover-command.ts";
import { programFacts } from "./program-facts.ts";
import type { ShellReading } from "./read-shell-text.ts";
import { similarCommands } from "./similar-commands.ts";
import { literalTexts, type SimpleCommand, type Word } from "./word.ts";

/** How a command is remembered. */
export interface RememberCommandOptions {
  /**
   * How many words of each program a rule spells; any harmless words may follow. What starts the program and says only how
   * (`timeout 5`, `nohup`) is left out, what else starts it (`sudo`, `env A=1`) is spelled beside them. Absent: this exact
   * call and no other.
   */
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
  /** Why it is the exact call where words were asked for. */
  readonly problem?: string | undefined;
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
  const byWords = words === undefined ? undefined : wordPatterns(words, context);
  const problem =
    typeof byWords === "string" ? byWords : byWords && uselessWords(byWords, { rule, call, moment });
  const works = typeof byWords === "object" && problem === undefined;
  const rules = works ? byWords.map((command) => ({ ...rule, pattern: { command } })) : [rule];
  const alsoAllows: string[] = [];
  const stillAsks: string[] = [];
  for (const similar of similarCommands(context.line, context.reading)) {
    const other = withCommand(call, similar.line);
    if (other === undefined) continue;
    (allows(rules, other, moment) ? alsoAllows : stillAsks).push(similar.shown);
  }
  return { rules, alsoAllows, stillAsks, ...(problem === undefined ? {} : { problem }) };
}

/** A pattern for each part, or why there is none. */
function wordPatterns(words: number, { line, reading }: RememberContext): CommandPattern[] | string {
  if (line === undefined || reading === undefined) return "the call shows no command";
  if (!reading.total)
    return `the command cannot be read wholly: ${reading.reason ?? "some of it is decided when it runs"}`;
  const patterns: CommandPattern[] = [];
  for (const command of reading.commands) {
    const pattern = patternOf(command, words, line);
    if (typeof pattern === "string") return pattern;
    patterns.push(pattern);
  }
  return patterns;
}

function patternOf(command: SimpleCommand, words: number, line: CommandLine): CommandPattern | string {
  const own = command.words.slice(transparentLength(command.words));
  const carrier = carrierOf(own);
  const from = carrier?.inner === "words" ? carrier.from : 0;
  const texts = literalTexts(own.slice(0, from + Math.max(1, words)));
  const assign = command.assignments.map(({ name, value }) => `${name}=${value.text}`);
  const redirect = command.redirections.map(redirectionText);
  if (texts === undefined || texts.length === 0) return "one of the words is decided only when it runs";
  if ([...assign, ...redirect].some(hasWildcard))
    return "an assignment or redirection holds * or ?, which a rule would take for any text";
  return {
    words: texts,
    rest: "any",
    ...(assign.length > 0 ? { assign } : {}),
    ...(redirect.length > 0 ? { redirect } : {}),
    ...(line.cwd === undefined ? {} : { cwd: line.cwd }),
    ...(line.target === undefined ? {} : { target: line.target }),
  };
}

/** Words in front that say only how the rest is run, however many of them there are. */
function transparentLength(words: readonly Word[]): number {
  const skip = transparentWords(words);
  return skip === 0 ? 0 : skip + transparentLength(words.slice(skip));
}

/** Why rules by these words would not allow the call, if so. */
function uselessWords(
  patterns: readonly CommandPattern[],
  {
    rule,
    call,
    moment,
  }: { readonly rule: ApprovalRule; readonly call: RuleSubject; readonly moment: RuleMoment },
): string | undefined {
  const rules = patterns.map((command) => ({ ...rule, pattern: { command } }));
  if (allows(rules, call, moment)) return undefined;
  const runner = patterns.map(({ words }) => words[0]!).find((program) => programFacts(program).textual);
  return runner === undefined
    ? "a part does more than words may allow: an option that runs or overwrites something, a place that git pushes to, or git beside what may change its settings"
    : `'${visibleText(runner)}' runs what its words say, so that any word after it could be another program`;
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
