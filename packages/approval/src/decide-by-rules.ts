import { canonicalJson } from "@basis/core";
import { ruleApplies, type RuleMoment, type RuleSubject } from "./rule-match.ts";
import { scopeOrder, type StoredRule } from "./rule.ts";

/** What the rules say of a call, and the one that is named for it. */
export interface RuleDecision {
  readonly effect: "allow" | "deny";
  readonly rule: StoredRule;
}

/**
 * Judges a call by rules; undefined when none applies. Any deny that applies, in any scope, wins over every allow.
 * Among rules of the winning effect the named one is the one with a pattern before a bare one, then the narrowest scope;
 * what is still equal is decided by content, so that the order of the rules never matters.
 */
export function decideByRules(
  rules: readonly StoredRule[],
  call: RuleSubject,
  moment: RuleMoment,
): RuleDecision | undefined {
  const applying = rules.filter((rule) => ruleApplies(rule, call, moment));
  const denies = applying.filter((rule) => rule.effect !== "allow");
  const [rule] = (denies.length > 0 ? denies : applying).toSorted(byRank);
  return rule && { effect: rule.effect === "allow" ? "allow" : "deny", rule };
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

function content(rule: StoredRule): string {
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
