import { isRelativeProgram, type CommandPattern } from "../command-pattern.ts";
import { hasDotSegment } from "../path-reading.ts";
import { hasWildcard, matchesWildcard } from "../wildcard.ts";
import { carriedWords, carrierOf, transparentWords, type Carrier } from "./carrier.ts";
import { sendsWhereNoRuleSays } from "./git-push.ts";
import { mayWrite } from "./only-reads.ts";
import { isGit, programFacts, runsSomething, type ProgramFacts } from "./program-facts.ts";
import type { ShellReading } from "./read-shell-text.ts";
import { isInput, mayNameTwo, namesFile } from "./reads-input.ts";
import { commandOf, type Redirection, type SimpleCommand, type Word } from "./word.ts";

/** What covering looks at besides the command. */
export interface CoverScope {
  /** In the order in which they are tried. */
  readonly patterns: readonly CommandPattern[];
  /** Whether a pattern is for this directory and target. */
  readonly holdsHere: (pattern: CommandPattern) => boolean;
  /** Some part changes the directory, so that relative programs and repositories are no longer those of the call. */
  readonly moved: boolean;
  /** Another part may write files, so that git's settings need not be those that were looked at. */
  readonly unsettled: boolean;
  /** Whether git's configuration can start programs. */
  readonly gitMayRun: () => boolean;
  readonly read: (source: string) => ShellReading;
  readonly depth: number;
}

/** Commands within commands that are still followed. */
const MAX_DEPTH = 4;
const MOVERS = new Set(["cd", "pushd", "popd", "chdir"]);

/** For each command the place of the first pattern that names it, and of those it needs; undefined when one has none. */
export function coverCommands(
  commands: readonly SimpleCommand[],
  scope: CoverScope,
): readonly number[] | undefined {
  const moved = scope.moved || commands.some(({ words }) => words.some((word) => MOVERS.has(word.text)));
  const writers = commands.filter(mayWrite);
  const used = commands.map((command) => {
    const unsettled = scope.unsettled || writers.some((other) => other !== command);
    return coverCommand(command, { ...scope, moved, unsettled });
  });
  return used.includes(undefined) || used.length === 0 ? undefined : used.flatMap((places) => places ?? []);
}

function coverCommand(command: SimpleCommand, scope: CoverScope): readonly number[] | undefined {
  if (command.words.length === 0 || command.words.some((word) => word.kind === "unknown")) return undefined;
  const exact = coverBy(command, scope);
  const skip = scope.depth < MAX_DEPTH ? transparentWords(command.words) : 0;
  const deeper = { ...scope, depth: scope.depth + 1 };
  const inner = skip === 0 ? [] : coverCommand({ ...command, words: command.words.slice(skip) }, deeper);
  const places = [...exact, ...(inner ?? [])];
  return places.length > 0 ? places : undefined;
}

function coverBy(command: SimpleCommand, scope: CoverScope): readonly number[] {
  const [program] = command.words;
  if (program!.kind !== "literal" || !standsStill(program!.text, scope)) return [];
  for (let at = 0; at < scope.patterns.length; at += 1) {
    const pattern = scope.patterns[at]!;
    if (pattern.words[0] !== program!.text || !beginsWith(command.words, pattern)) continue;
    if (!scope.holdsHere(pattern) || !toleratesSurroundings(pattern, command)) continue;
    if (pattern.cwd === undefined && isRelativeProgram(program!.text)) continue;
    const inner = coverRest(command.words, pattern, scope);
    if (inner !== undefined) return [at, ...inner];
  }
  return [];
}

/** False for a program that is not surely the one the rule was made for. */
function standsStill(program: string, scope: CoverScope): boolean {
  if (scope.moved && isRelativeProgram(program)) return false;
  return !isGit(program) || !(scope.moved || scope.unsettled || scope.gitMayRun());
}

function beginsWith(words: readonly Word[], { words: named, rest = "none" }: CommandPattern): boolean {
  if (named.length > words.length || (rest === "none" && named.length < words.length)) return false;
  return named.every((text, at) => words[at]!.kind === "literal" && words[at]!.text === text);
}

/** Covers what the pattern does not spell; answers the places of patterns that had to help. */
function coverRest(
  words: readonly Word[],
  pattern: CommandPattern,
  scope: CoverScope,
): readonly number[] | undefined {
  const spelled = pattern.words.length;
  const facts = programFacts(words[0]!.text);
  if (readsAsProgram(words, pattern, facts)) return undefined;
  if (spelled === words.length) return [];
  if (facts.writesSecond && mayNameTwo(words)) return undefined;
  if (sendsWhereNoRuleSays(words, spelled)) return undefined;
  const carrier = carrierOf(words);
  if (carrier === undefined && facts.textual) return undefined;
  if (carrier !== undefined && spelled < carrier.named) return undefined;
  if (!isHarmless(words, spelled, carrier)) return undefined;
  return carrier === undefined ? [] : coverCarried(words, { carrier, pattern }, scope);
}

/** No word that the pattern does not spell makes the program, or the module that it runs, run something else. */
function isHarmless(words: readonly Word[], spelled: number, carrier: Carrier | undefined): boolean {
  const programs = words[1]?.text === "-m" ? [words[0]!, ...words.slice(2, 3)] : [words[0]!];
  const known = programs.map(({ text }) => programFacts(text));
  return words.every(
    (word, at) =>
      at < spelled || isCarried(carrier, at) || !known.some((facts) => runsSomething(facts, word.text, at)),
  );
}

/** A program that runs its input, with no file that the rule spells. */
function readsAsProgram(words: readonly Word[], pattern: CommandPattern, facts: ProgramFacts): boolean {
  if (!facts.readsInput || pattern.rest !== "any") return false;
  return !namesFile(words, facts) || words.slice(pattern.words.length).some(isInput);
}

function isCarried(carrier: Carrier | undefined, at: number): boolean {
  return carrier !== undefined && at >= carrier.from && at < carrier.to;
}

function coverCarried(
  words: readonly Word[],
  { carrier, pattern }: { readonly carrier: Carrier; readonly pattern: CommandPattern },
  scope: CoverScope,
): readonly number[] | undefined {
  if (scope.depth >= MAX_DEPTH) return undefined;
  const deeper = { ...scope, moved: scope.moved || carrier.moves === true, depth: scope.depth + 1 };
  if (carrier.inner === "text") {
    const reading = scope.read(words[carrier.from]!.text);
    return reading.total ? coverCommands(reading.commands, deeper) : undefined;
  }
  const inner = commandOf(carriedWords(words, carrier));
  const spelled = pattern.words.slice(carrier.from, carrier.to);
  if (spelled.length === 0) return coverCommands([inner], deeper);
  const own = coverCommands([inner], {
    ...deeper,
    patterns: [{ words: spelled, rest: "any" }],
    holdsHere: () => true,
  });
  return own && [];
}

function toleratesSurroundings(pattern: CommandPattern, command: SimpleCommand): boolean {
  const { assign = [], redirect = [] } = pattern;
  return (
    command.assignments.every(
      ({ name, value }) =>
        value.kind === "literal" && assign.some((one) => matchesText(one, `${name}=${value.text}`)),
    ) &&
    command.redirections.every(
      (one) =>
        one.target.kind === "literal" && redirect.some((text) => matchesText(text, redirectionText(one))),
    )
  );
}

/** How a rule spells a redirection: without blanks. */
export function redirectionText({ operator, target }: Redirection): string {
  return `${operator}${target.text}`;
}

function matchesText(pattern: string, text: string): boolean {
  if (hasWildcard(pattern) && hasDotSegment(text)) return false;
  return matchesWildcard(pattern.replace(/^(\d*(?:<|>>?)&?)\s+/, "$1"), text);
}
