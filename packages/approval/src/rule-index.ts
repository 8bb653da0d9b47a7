import { canonicalJson } from "@basis/core";
import { programKey } from "./command-pattern.ts";
import type { OpenedCall } from "./opened-call.ts";
import { commandPatternOf, type StoredRule } from "./rule.ts";

/** Rules of one effect, sorted by what they can be found by. */
interface Shelf {
  readonly exact: ReadonlyMap<string, readonly StoredRule[]>;
  readonly commands: ReadonlyMap<string, readonly StoredRule[]>;
  readonly allCommands: readonly StoredRule[];
  /** Those that have to be looked at one by one. */
  readonly others: readonly StoredRule[];
}

/** A list of rules in which those that could match a call are found without looking at each. */
export interface RuleIndex {
  readonly denies: (opened: OpenedCall) => readonly StoredRule[];
  readonly allows: (opened: OpenedCall) => readonly StoredRule[];
}

const indexes = new WeakMap<readonly StoredRule[], RuleIndex>();

/** The index of a list. One that nobody can change is sorted once; any other list is only split by effect. */
export function indexOf(rules: readonly StoredRule[]): RuleIndex {
  const known = indexes.get(rules);
  if (known !== undefined) return known;
  const [denies, allows] = [
    rules.filter((rule) => rule.effect !== "allow"),
    rules.filter((rule) => rule.effect === "allow"),
  ];
  if (!Object.isFrozen(rules) || !rules.every((rule) => Object.isFrozen(rule))) {
    return { denies: () => denies, allows: () => allows };
  }
  const [denied, allowed] = [shelve(denies), shelve(allows)];
  const index: RuleIndex = {
    denies: (opened) => take(denied, opened),
    allows: (opened) => take(allowed, opened),
  };
  indexes.set(rules, index);
  return index;
}

function shelve(rules: readonly StoredRule[]): Shelf {
  const exact = new Map<string, StoredRule[]>();
  const commands = new Map<string, StoredRule[]>();
  const allCommands: StoredRule[] = [];
  const others: StoredRule[] = [];
  for (const rule of rules) {
    const command = commandPatternOf(rule);
    if (command !== undefined) {
      allCommands.push(rule);
      append(commands, programKey(command.words[0] ?? ""), rule);
    } else if (typeof rule.pattern === "object" && "exact" in rule.pattern) {
      append(exact, canonicalJson(rule.pattern.exact), rule);
    } else others.push(rule);
  }
  return { exact, commands, allCommands, others };
}

function append(lists: Map<string, StoredRule[]>, key: string, rule: StoredRule): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [rule]);
  else list.push(rule);
}

function take(shelf: Shelf, opened: OpenedCall): readonly StoredRule[] {
  const exact = shelf.exact.size === 0 ? [] : (shelf.exact.get(opened.text()) ?? []);
  return [...exact, ...commandsFor(shelf, opened), ...shelf.others];
}

function commandsFor(shelf: Shelf, opened: OpenedCall): readonly StoredRule[] {
  if (shelf.allCommands.length === 0 || !opened.isCommand) return [];
  const programs = programsOf(opened);
  if (programs === undefined) return shelf.allCommands;
  return [...programs].flatMap((program) => shelf.commands.get(program) ?? []);
}

function programsOf(opened: OpenedCall): ReadonlySet<string> | undefined {
  try {
    return opened.command()?.programs?.();
  } catch {
    return undefined;
  }
}
