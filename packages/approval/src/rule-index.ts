import { shelveCommands, type CommandShelf } from "./command-shelf.ts";
import type { OpenedCall } from "./opened-call.ts";
import { sortIntoColumns, type RuleColumns } from "./rule-columns.ts";
import { inRankOrder, type RuleLists } from "./rule-rank.ts";
import { commandPatternOf, type StoredRule } from "./rule.ts";

/** A list of rules in which those that could match a call are found without looking at each. */
export interface RuleIndex {
  denies(opened: OpenedCall): RuleLists;
  /** All but those by words. */
  allows(opened: OpenedCall): RuleLists;
  /** Those by words, in the order of rank. */
  allowsByWords(opened: OpenedCall): readonly StoredRule[];
}

/** Rules of one effect, sorted by what they can be found by. */
interface Shelf {
  /** Those without words. */
  readonly columns: RuleColumns;
  readonly commands: CommandShelf;
}

const indexes = new WeakMap<readonly StoredRule[], RuleIndex>();

/** The index of a list. One that nobody can change is sorted once; of any other list each rule is looked at. */
export function indexOf(rules: readonly StoredRule[]): RuleIndex {
  const known = indexes.get(rules);
  if (known !== undefined) return known;
  const isFrozen = isFrozenThrough(rules);
  const [denies, allows] = [
    rules.filter((rule) => rule.effect !== "allow"),
    rules.filter((rule) => rule.effect === "allow"),
  ];
  const index = isFrozen ? sortedIndex(denies, allows) : plainIndex(denies, allows);
  if (isFrozen) indexes.set(rules, index);
  return index;
}

function sortedIndex(denies: readonly StoredRule[], allows: readonly StoredRule[]): RuleIndex {
  const [denied, allowed] = [shelve(inRankOrder(denies)), shelve(inRankOrder(allows))];
  return {
    denies: (opened) => [...denied.columns.find(opened), denied.commands.find(opened)],
    allows: (opened) => allowed.columns.find(opened),
    allowsByWords: (opened) => allowed.commands.find(opened),
  };
}

function plainIndex(denies: readonly StoredRule[], allows: readonly StoredRule[]): RuleIndex {
  const each = (rules: readonly StoredRule[]): RuleLists => rules.map((rule) => [rule]);
  return {
    denies: () => each(denies),
    allows: () => each(allows.filter(isWithoutWords)),
    allowsByWords: (opened) => inRankOrder(shelveCommands(allows).find(opened)),
  };
}

function isFrozenThrough(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenThrough);
}

function shelve(all: readonly StoredRule[]): Shelf {
  return { columns: sortIntoColumns(all.filter(isWithoutWords)), commands: shelveCommands(all) };
}

function isWithoutWords(rule: StoredRule): boolean {
  return commandPatternOf(rule) === undefined;
}
