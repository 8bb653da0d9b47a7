import { programKey } from "./command-pattern.ts";
import type { OpenedCall } from "./opened-call.ts";
import { append, sortIntoColumns, type RuleColumns } from "./rule-columns.ts";
import { commandPatternOf, type StoredRule } from "./rule.ts";

/** Rules of one effect, sorted by what they can be found by. */
interface Shelf {
  readonly rules: readonly StoredRule[];
  readonly columns: RuleColumns;
  readonly commands: ReadonlyMap<string, readonly StoredRule[]>;
  readonly allCommands: readonly StoredRule[];
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
  if (!isFrozenThrough(rules)) {
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

function isFrozenThrough(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenThrough);
}

function shelve(rules: readonly StoredRule[]): Shelf {
  const commands = new Map<string, StoredRule[]>();
  const allCommands = rules.filter((rule) => commandPatternOf(rule) !== undefined);
  for (const rule of allCommands) append(commands, programKey(commandPatternOf(rule)!.words[0] ?? ""), rule);
  const columns = sortIntoColumns(rules.filter((rule) => commandPatternOf(rule) === undefined));
  return { rules, columns, commands, allCommands };
}

function take({ rules, columns, ...shelf }: Shelf, opened: OpenedCall): readonly StoredRule[] {
  const found = columns.find(opened);
  return found === undefined ? rules : [...found, ...commandsFor(shelf, opened), ...columns.others];
}

function commandsFor(
  shelf: Pick<Shelf, "commands" | "allCommands">,
  opened: OpenedCall,
): readonly StoredRule[] {
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
