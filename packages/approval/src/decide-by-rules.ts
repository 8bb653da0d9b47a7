import { canonicalJson } from "@basis/core";
import type { CommandPattern } from "./command-pattern.ts";
import { openCall, type OpenedCall, type RuleMoment, type RuleSubject } from "./opened-call.ts";
import { indexOf } from "./rule-index.ts";
import { patternApplies, ruleHolds } from "./rule-match.ts";
import { commandPatternOf, scopeOrder, type StoredRule } from "./rule.ts";

/** What the rules say of a call, and the one that is named for it. */
export interface RuleDecision {
  readonly effect: "allow" | "deny";
  readonly rule: StoredRule;
  /** For a command that several rules allow together: all that name a part of it, the named one among them. */
  readonly rules?: readonly StoredRule[] | undefined;
  /** Why a denial applies that could not look at the whole command. */
  readonly problem?: string | undefined;
}

/**
 * Judges a call by rules; undefined when none applies. Any deny that applies, in any scope, wins over every allow.
 * Among rules of the winning effect the named one is the one with a pattern before a bare one, then the narrowest scope;
 * what is still equal is decided by content, so that the order of the rules never matters.
 * A command may be allowed by several rules together, each for some of its parts.
 */
export function decideByRules(
  rules: readonly StoredRule[],
  call: RuleSubject,
  moment: RuleMoment,
): RuleDecision | undefined {
  if (rules.length === 0) return undefined;
  const opened = openCall(call, moment);
  const index = indexOf(rules);
  const denies = index
    .denies(opened)
    .filter((rule) => ruleHolds(rule, opened) && patternApplies(rule, opened));
  if (denies.length > 0) return denial(first(denies), opened);
  const allows = index.allows(opened).filter((rule) => ruleHolds(rule, opened));
  const whole = allows.filter((rule) => commandPatternOf(rule) === undefined && patternApplies(rule, opened));
  const together = coveringRules(allows, opened);
  const applying = [...whole, ...together];
  if (applying.length === 0) return undefined;
  const rule = first(applying);
  return {
    effect: "allow",
    rule,
    ...(together.length > 1 && together.includes(rule) ? { rules: together } : {}),
  };
}

function denial(rule: StoredRule, opened: OpenedCall): RuleDecision {
  const problem = commandPatternOf(rule) === undefined ? undefined : opened.command()?.problem;
  return { effect: "deny", rule, ...(problem === undefined ? {} : { problem }) };
}

/** The command rules that allow the call together, none of them without use for it; none at all when they leave a part out or cannot be asked. */
function coveringRules(allows: readonly StoredRule[], opened: OpenedCall): readonly StoredRule[] {
  if (!opened.isCommand) return [];
  const candidates: StoredRule[] = [];
  const patterns: CommandPattern[] = [];
  for (const rule of allows) {
    const pattern = commandPatternOf(rule);
    if (pattern === undefined) continue;
    candidates.push(rule);
    patterns.push(pattern);
  }
  if (patterns.length === 0) return [];
  try {
    return (opened.command()?.coveredBy(patterns) ?? []).map((at) => candidates[at]!);
  } catch {
    return [];
  }
}

/** The order in which rules are named and exported. */
export function byRank(left: StoredRule, right: StoredRule): number {
  return (
    Number(left.pattern === undefined) - Number(right.pattern === undefined) ||
    scopeOrder.indexOf(left.scope) - scopeOrder.indexOf(right.scope) ||
    byText(content(left), content(right)) ||
    byText(left.id, right.id)
  );
}

function first(rules: readonly StoredRule[]): StoredRule {
  return rules.reduce((best, rule) => (byRank(rule, best) < 0 ? rule : best));
}

const contents = new WeakMap<StoredRule, string>();

/** A rule without what its store added, as text; kept for rules that nobody can change. */
function content(rule: StoredRule): string {
  const known = contents.get(rule) ?? contentText(rule);
  if (Object.isFrozen(rule)) contents.set(rule, known);
  return known;
}

function contentText(rule: StoredRule): string {
  const { id: _id, createdAt: _createdAt, ...rest } = rule;
  try {
    return canonicalJson(rest);
  } catch {
    return "";
  }
}

function byText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
