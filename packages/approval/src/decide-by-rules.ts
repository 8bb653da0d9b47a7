import { openCall, type OpenedCall, type RuleMoment, type RuleSubject } from "./opened-call.ts";
import { indexOf } from "./rule-index.ts";
import { patternApplies, ruleHolds } from "./rule-match.ts";
import { firstByRank } from "./rule-rank.ts";
import { commandPatternOf, type StoredRule } from "./rule.ts";

/** What the rules say of a call, and the one that is named for it. */
export interface RuleDecision {
  readonly effect: "allow" | "deny";
  readonly rule: StoredRule;
  /** For a command that several rules allow together: for each part the first that names it, by rank. */
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
  const applies = (rule: StoredRule): boolean => ruleHolds(rule, opened) && patternApplies(rule, opened);
  const denying = firstByRank(index.denies(opened), applies);
  if (denying !== undefined) return denial(denying, opened);
  const whole = firstByRank(index.allows(opened), applies);
  const together = coveringRules(index.allowsByWords(opened), opened);
  const rule = firstByRank([together, whole === undefined ? [] : [whole]], () => true);
  if (rule === undefined) return undefined;
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

/** The rules by words that allow the call together, by rank; none at all when they leave a part out or cannot be asked. */
function coveringRules(allows: readonly StoredRule[], opened: OpenedCall): readonly StoredRule[] {
  const candidates = allows.filter((rule) => ruleHolds(rule, opened));
  if (candidates.length === 0) return [];
  const patterns = candidates.map((rule) => commandPatternOf(rule)!);
  try {
    return (opened.command()?.coveredBy(patterns) ?? []).map((at) => candidates[at]!);
  } catch {
    return [];
  }
}
