import type { CommandStart } from "../command-judge.ts";
import { programKey, wordKey, type CommandPattern } from "../command-pattern.ts";
import { isStranger } from "./known-programs.ts";
import { programFacts, programName, runsSomething, type ProgramFacts } from "./program-facts.ts";
import type { ShellReading } from "./read-shell-text.ts";
import { readsInput } from "./reads-input.ts";
import { isCalculated, isKept, startsWhatNoWordSays } from "./unseen-start.ts";
import { literal, unknownWord, type SimpleCommand, type Word } from "./word.ts";

/** Words that may be a command; null where a word is not known. */
type Suspect = Omit<CommandStart, "program"> & { readonly program: string | null };

/** Everything that a command may start, as far as denials look. */
export interface Suspects {
  /** The command cannot be read wholly: anything may be in it. */
  readonly anything: boolean;
  readonly commands: readonly Suspect[];
  /** The folded text without quotes, where parts of it may be started by ways that no reader follows. */
  readonly text: string | undefined;
}

const MAX_DEPTH = 8;
/** Commands that may be started by one call; beyond that it counts as anything. */
const MAX_SUSPECTS = 2000;
/** Words that are looked at of a command within a command. */
const MAX_WORDS = 64;
/** Options whose value is a program, or begins with one. */
const STARTS = /^-[A-Za-z]*[xXI]$|^--(?:pre$|exec|to-command|use-compress|rsh$|cmd|command)/;
const EXPANDS = /\$\(|`/;
const TEXT_OF_ITS_OWN = /[\s;&|`$()<>]/;

/** Collects what a reading may start: more rather than less. */
export function suspectsOf(reading: ShellReading, read: (source: string) => ShellReading): Suspects {
  const collected: Collected = { commands: [], anything: false, hidden: !reading.total };
  collect(reading, { collected, read, depth: 0 });
  const { commands, anything, hidden } = collected;
  return { anything, commands, text: hidden ? wordKey(reading.source.replace(/["'\\]/g, "")) : undefined };
}

/** True when something that may be started may be what the pattern names. */
export function mayBe(suspects: Suspects, pattern: CommandPattern): boolean {
  if (suspects.anything) return true;
  const { name, rest } = foldedPattern(pattern);
  if (suspects.commands.some((suspect) => isOrMayBe(suspect, name, rest))) return true;
  return suspects.text !== undefined && holdsWord(suspects.text, [name, ...rest]);
}

/** All programs that may be started, with their words; undefined when a denial of any program might apply. */
export function startsOf({ anything, commands, text }: Suspects): readonly CommandStart[] | undefined {
  return anything || text !== undefined || !commands.every(isKnown) ? undefined : commands;
}

function isKnown(suspect: Suspect): suspect is CommandStart {
  return suspect.program !== null;
}

interface FoldedPattern {
  readonly name: string;
  readonly rest: readonly string[];
}

const foldedPatterns = new WeakMap<CommandPattern, FoldedPattern>();

/** Kept for patterns that nobody can change. */
function foldedPattern(pattern: CommandPattern): FoldedPattern {
  const known = foldedPatterns.get(pattern);
  if (known !== undefined) return known;
  const [program = "", ...rest] = pattern.words;
  const folded = { name: programKey(program), rest: rest.map(wordKey) };
  if (Object.isFrozen(pattern) && Object.isFrozen(pattern.words)) foldedPatterns.set(pattern, folded);
  return folded;
}

interface Collected {
  readonly commands: Suspect[];
  anything: boolean;
  hidden: boolean;
}

interface Collecting {
  readonly collected: Collected;
  readonly read: (source: string) => ShellReading;
  readonly depth: number;
}

function collect(reading: ShellReading, collecting: Collecting): void {
  const { collected, depth } = collecting;
  if (reading.failed || depth > MAX_DEPTH) {
    collected.anything = true;
    return;
  }
  for (const command of reading.commands) collectCommand(command, collecting);
}

function collectCommand({ words, assignments }: SimpleCommand, collecting: Collecting): void {
  const { collected } = collecting;
  if (assignments.length > 0) collected.hidden = true;
  for (const { value } of assignments) collectKept(value, collecting);
  const [program] = words;
  if (program === undefined) return;
  collected.commands.push(suspectOf(words));
  if (program.kind !== "literal") return;
  const name = programName(wordKey(program.text));
  const facts = programFacts(name);
  const carriesAny = facts.runner || facts.words.has("-exec") || isStranger(name);
  if (facts.textual) collected.hidden = true;
  words.forEach((word, at) => {
    if (at === 0) return;
    const runs = runsSomething(facts, word.text, at);
    if (runs) collected.hidden = true;
    if (runs || carriesAny) collectCarried(words.slice(at, at + MAX_WORDS + 1), collecting);
    if (runs && !facts.readsInput) collectValue(word, words[at + 1], collecting);
    if (isCalculated(name, word)) collectExpanded(word, collecting);
    else if (isKept(name)) collectKept(word, collecting);
  });
  noteInput(words, facts, collected);
}

/** What an option starts may be its value, a word of its own. */
function collectValue(option: Word, value: Word | undefined, collecting: Collecting): void {
  if (value === undefined) return;
  collectExpanded(value, collecting);
  if (value.kind !== "literal" && STARTS.test(option.text))
    collecting.collected.commands.push(suspectOf([value]));
}

/** A word that is expanded once more. */
function collectExpanded({ kind, text }: Word, { depth, ...collecting }: Collecting): void {
  if (kind === "literal" && EXPANDS.test(text))
    collect(collecting.read(text), { ...collecting, depth: depth + 1 });
}

/** A text that is kept, and may be expanded later (`PS4`, a pager); one that is no shell text is words. */
function collectKept(value: Word, collecting: Collecting): void {
  if (value.kind === "literal" && !collecting.read(value.text).failed) collectExpanded(value, collecting);
}

/** What a program reads and runs may be anything where it is a shell, and stand in the text where it is another. */
function noteInput(words: readonly Word[], facts: ProgramFacts, collected: Collected): void {
  if (startsWhatNoWordSays(words)) collected.anything = true;
  if (!readsInput(words, facts)) return;
  collected.hidden = true;
  if (facts.runner) collected.anything = true;
}

/** The words may begin the command that is started, be shell text, or hold either behind an option's letter or `=`. */
function collectCarried(words: readonly Word[], collecting: Collecting): void {
  const { collected, read, depth } = collecting;
  if (collected.anything) return;
  if (collected.commands.length >= MAX_SUSPECTS) {
    collected.anything = true;
    return;
  }
  const [first, ...rest] = words.length > MAX_WORDS ? [...words.slice(0, MAX_WORDS), unknownWord] : words;
  if (first === undefined) return;
  collected.commands.push(suspectOf([first, ...rest]));
  if (first.kind !== "literal") return;
  noteInput([first, ...rest], programFacts(programName(wordKey(first.text))), collected);
  for (const text of startingTexts(first.text)) {
    if (text !== first.text) collected.commands.push(suspectOf([literal(text), ...rest]));
    if (TEXT_OF_ITS_OWN.test(text)) collect(read(text), { ...collecting, depth: depth + 1 });
  }
}

function startingTexts(word: string): readonly string[] {
  const texts = [word];
  if (/^-[^-]./.test(word)) texts.push(word.slice(2));
  const equals = word.indexOf("=");
  if (equals > 0) texts.push(word.slice(equals + 1));
  return texts;
}

const keys = new WeakMap<Word, string>();

/** A word's key, which is asked for once for every place at which it may stand. */
function keyOf(word: Word): string {
  const known = keys.get(word);
  if (known !== undefined) return known;
  const key = wordKey(word.text);
  keys.set(word, key);
  return key;
}

function suspectOf([program, ...words]: readonly Word[]): Suspect {
  return {
    program: program?.kind === "literal" ? programKey(program.text) : null,
    words: words.map((word) => (word.kind === "literal" ? keyOf(word) : null)),
  };
}

/** The program is it, and the other words follow in order, whatever stands between. */
function isOrMayBe({ program, words }: Suspect, name: string, rest: readonly string[]): boolean {
  if (program === null) return true;
  if (program !== name) return false;
  let wanted = 0;
  for (const word of words) {
    if (word === null) return true;
    if (word === rest[wanted]) wanted += 1;
  }
  return wanted >= rest.length;
}

/** True when the program stands in the text as a word of its own, and the other words somewhere. */
function holdsWord(text: string, [name = "", ...rest]: readonly string[]): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const around = (text[at - 1] ?? " ") + (text[at + name.length] ?? " ");
    if (!/[\w.-]/.test(around)) return rest.every((word) => text.includes(word));
  }
  return false;
}
