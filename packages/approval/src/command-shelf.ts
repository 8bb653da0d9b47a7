import type { CommandStart } from "./command-judge.ts";
import { programKey, wordKey } from "./command-pattern.ts";
import type { OpenedCall } from "./opened-call.ts";
import { append } from "./rule-columns.ts";
import { commandPatternOf, type StoredRule } from "./rule.ts";

/** Rules by words, found by what a command may start. */
export interface CommandShelf {
  /** Every rule that may concern the call, in the order in which they were shelved. */
  find(opened: OpenedCall): readonly StoredRule[];
}

/** Rules for one program by the word that follows it, each by its place on the shelf. */
interface OfProgram {
  readonly all: number[];
  /** Rules that spell nothing but the program. */
  readonly bare: number[];
  readonly bySecond: Map<string, number[]>;
}

/** Shelves rules by words; others are left out. */
export function shelveCommands(rules: readonly StoredRule[]): CommandShelf {
  const all = rules.filter((rule) => commandPatternOf(rule) !== undefined);
  const programs = new Map<string, OfProgram>();
  for (const [place, rule] of all.entries()) shelve(programs, commandPatternOf(rule)!.words, place);
  return {
    find(opened) {
      if (all.length === 0 || !opened.isCommand) return [];
      const starts = startsOf(opened);
      if (starts === undefined) return all;
      return union(all, listsFor(programs, starts));
    },
  };
}

function shelve(
  programs: Map<string, OfProgram>,
  [program = "", second]: readonly string[],
  place: number,
): void {
  const key = programKey(program);
  const ofProgram: OfProgram = programs.get(key) ?? { all: [], bare: [], bySecond: new Map() };
  programs.set(key, ofProgram);
  ofProgram.all.push(place);
  if (second === undefined) ofProgram.bare.push(place);
  else append(ofProgram.bySecond, wordKey(second), place);
}

function listsFor(
  programs: ReadonlyMap<string, OfProgram>,
  starts: readonly CommandStart[],
): Iterable<readonly number[]> {
  const lists = new Set<readonly number[]>();
  for (const { program, words } of starts) {
    const ofProgram = programs.get(program);
    if (ofProgram === undefined) continue;
    if (words.includes(null)) lists.add(ofProgram.all);
    lists.add(ofProgram.bare);
    for (const word of words) {
      const places = word !== null && ofProgram.bySecond.get(word);
      if (places) lists.add(places);
    }
  }
  return lists;
}

/** Those in any of the lists, each once, in their order. */
function union(all: readonly StoredRule[], lists: Iterable<readonly number[]>): readonly StoredRule[] {
  const isIn = new Uint8Array(all.length);
  for (const places of lists) for (const place of places) isIn[place] = 1;
  return all.filter((_, place) => isIn[place] === 1);
}

function startsOf(opened: OpenedCall): readonly CommandStart[] | undefined {
  try {
    return opened.command()?.starts?.();
  } catch {
    return undefined;
  }
}
