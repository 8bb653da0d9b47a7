import { programTable } from "./program-table.ts";

/** What is known of a program's ways to run something else, or to write where no redirection shows it. */
export interface ProgramFacts {
  /** Its words are program text or name other programs: only a rule that spells every word covers it. */
  readonly textual: boolean;
  /** Words of its own name the program it starts. */
  readonly runner: boolean;
  readonly long: readonly string[];
  readonly short: ReadonlySet<string>;
  /** Options of several letters after one dash, and subcommands. */
  readonly words: ReadonlySet<string>;
  /** Its first word is a bundle of short options with or without a dash. */
  readonly bundle: boolean;
  /** A word `NAME=value` sets what it runs. */
  readonly assigns: boolean;
  /** It runs what it reads from its input when no word names a file. */
  readonly readsInput: boolean;
  /** A word `@file` stands for the words of a file. */
  readonly takesFiles: boolean;
  /** A second word that is no option names a file that it overwrites. */
  readonly writesSecond: boolean;
}

/** Long options that mean the same danger whatever the program. */
const COMMON =
  "--exec --exec-batch --execute --command --cmd --eval --rsh --shell --shell-command --init-file --rcfile --preload " +
  "--use-compress-program --to-command --pager --editor --upload-pack --receive-pack --ssh-command";
const common = COMMON.split(" ");
const plainFacts = factsOf("");
const known = new Map(
  programTable
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [programs = "", watched = ""] = line.split(/:(?= )/);
      return programs.split(" ").map((program) => [program, factsOf(watched)] as const);
    }),
);

/** The facts of a program by its name without folders. */
export function programFacts(program: string): ProgramFacts {
  const name = programName(program);
  return known.get(name) ?? known.get(name.replace(/[-_.]?\d[\d.]*$/, "")) ?? plainFacts;
}

/** A program without its folders. */
export function programName(program: string): string {
  return program.slice(Math.max(program.lastIndexOf("/"), program.lastIndexOf("\\")) + 1);
}

/** True for `git` and the programs it is made of. */
export function isGit(program: string): boolean {
  return /^git(?:-|$)/.test(programName(program));
}

/** True when a word at a position after the program may make it run something that no word names. */
export function runsSomething(facts: ProgramFacts, word: string, position: number): boolean {
  // A part of a setting (`--config.script-shell=x`) is one of the setting.
  const [name = ""] = word.split(/=|(?<=^--[a-z]+)\./, 1);
  if ([word, name, word.split("=", 1)[0]!].some((one) => facts.words.has(one))) return true;
  if (facts.takesFiles && word.startsWith("@")) return true;
  if (word.startsWith("--")) return isLong(facts, name) || facts.words.has(name.slice(1));
  if (facts.assigns && !word.startsWith("-") && name !== word) return true;
  return isLongAfterOneDash(facts, name) || holdsShort(facts, word, position);
}

function holdsShort(facts: ProgramFacts, word: string, position: number): boolean {
  const bundled = facts.bundle && position === 1;
  if (!bundled && !/^-./.test(word)) return false;
  return Array.from(word).some((letter) => facts.short.has(letter));
}

/** Also what programs take as an abbreviation. */
function isLong(facts: ProgramFacts, option: string): boolean {
  if (option === "--") return false;
  return [...facts.long, ...common].some(
    (watched) => watched.startsWith(option) || (watched.endsWith("-") && option.startsWith(watched)),
  );
}

/** Some programs (npm, go) take long options after one dash, too. Fewer than four letters are short ones in a bundle. */
function isLongAfterOneDash(facts: ProgramFacts, name: string): boolean {
  return /^-[^-]{4}/.test(name) && facts.long.some((watched) => watched.startsWith(`-${name}`));
}

function factsOf(watched: string): ProgramFacts {
  const tokens = watched.split(" ").filter((token) => token !== "");
  return {
    textual: tokens.includes("*") || tokens.includes("**"),
    runner: tokens.includes("**"),
    long: tokens.filter((token) => token.startsWith("--")),
    short: new Set(tokens.filter((token) => /^-[^-]$/.test(token)).map((token) => token[1]!)),
    words: new Set(tokens.flatMap(exactWord)),
    bundle: tokens.includes("+"),
    assigns: tokens.includes("="),
    readsInput: tokens.includes("<"),
    takesFiles: tokens.includes("@"),
    writesSecond: tokens.includes(">"),
  };
}

function exactWord(token: string): string[] {
  if (token.startsWith("!")) return [token.slice(1)];
  return /^-[^-]./.test(token) || /^(?:\w|-$)/.test(token) ? [token] : [];
}

/** True for a program with a line of its own. */
export function isListed(program: string): boolean {
  return programFacts(program) !== plainFacts;
}
