import { canonicalJson } from "@basis/core";
import { scopeOrder, type StoredRule } from "./rule.ts";

/** Lists of rules, each in the order of rank. */
export type RuleLists = Iterable<readonly StoredRule[]>;

/** The order in which rules are named and exported. */
export function byRank(
  left: StoredRule,
  right: StoredRule,
  textOf: (rule: StoredRule) => string = content,
): number {
  return (
    Number(left.pattern === undefined) - Number(right.pattern === undefined) ||
    scopeOrder.indexOf(left.scope) - scopeOrder.indexOf(right.scope) ||
    byText(textOf(left), textOf(right)) ||
    byText(left.id, right.id)
  );
}

/** Sorted by rank; a rule's content is written out once even where it could still change. */
export function inRankOrder(rules: readonly StoredRule[]): readonly StoredRule[] {
  const texts = new Map<StoredRule, string>();
  const textOf = (rule: StoredRule): string => {
    const text = texts.get(rule) ?? content(rule);
    texts.set(rule, text);
    return text;
  };
  return rules.toSorted((left, right) => byRank(left, right, textOf));
}

/**
 * The first by rank, of lists that each stand in that order, that passes.
 * No list is read beyond its first that passes, and none that begins after the best found so far.
 */
export function firstByRank(lists: RuleLists, passes: (rule: StoredRule) => boolean): StoredRule | undefined {
  let best: StoredRule | undefined;
  for (const list of lists) {
    if (best !== undefined && list.length > 1 && byRank(best, list[0]!) < 0) continue;
    const found = list.find(passes);
    if (found !== undefined && (best === undefined || byRank(found, best) < 0)) best = found;
  }
  return best;
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
