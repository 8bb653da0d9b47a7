import { isGroup, type Command, type CommandGroup } from "../cli/arguments/command.ts";

/** What may stand somewhere: certain words, a file, a session, or something that nobody can guess. */
export type Expected =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "file" | "session" | "anything" };

/** An option of a command. */
export interface CompletedOption {
  /** With its dashes. */
  readonly name: string;
  readonly about: string;
  /** Absent for a flag. */
  readonly value?: Expected;
}

/** A command line up to some point, and what may follow. */
export interface CompletedCommand {
  /** The words that lead to it; empty for `basis` alone. */
  readonly path: readonly string[];
  readonly options: readonly CompletedOption[];
  /** The words below it, with what they do. */
  readonly verbs: readonly (readonly [word: string, about: string])[];
  readonly word?: Expected;
}

/** A command as it was loaded, by its name. */
export type LoadedCommands = ReadonlyMap<
  string,
  { readonly about: string; readonly entry: Command | CommandGroup }
>;

const help: CompletedOption = { name: "--help", about: "what it is for, and its options" };

/**
 * What can be completed, from the tables that the commands themselves are read by: `basis` first, then each command,
 * then each below it. `basis` alone takes the options of `run`, for which it is short.
 */
export function completionSpec(commands: LoadedCommands): readonly CompletedCommand[] {
  const run = commands.get("run")?.entry;
  const verbs = [...commands].map(([name, { about }]) => [name, about] as const);
  const version = { name: "--version", about: "which version this is" };
  const short = run === undefined || isGroup(run) ? [] : optionsOf(run);
  const root: CompletedCommand = { path: [], options: [...short, version], verbs };
  return [root, ...[...commands].flatMap(([name, { entry }]) => commandsOf([name], entry))];
}

function commandsOf(path: readonly string[], entry: Command | CommandGroup): readonly CompletedCommand[] {
  if (!isGroup(entry)) {
    const word = entry.word && expectedOf(entry.word.name);
    return [{ path, options: optionsOf(entry), verbs: [], ...(word && { word }) }];
  }
  const below = Object.entries(entry.commands);
  const verbs = below.map(([name, { about }]) => [name, about] as const);
  return [
    { path, options: [help], verbs },
    ...below.flatMap(([name, inner]) => commandsOf([...path, name], inner)),
  ];
}

function optionsOf({ options }: Command): readonly CompletedOption[] {
  const own = Object.entries(options).map(([name, { about, value }]): CompletedOption => ({
    name: `--${name}`,
    about,
    ...(value !== undefined && { value: expectedOf(value) }),
  }));
  return [...own, help];
}

/** What a command's help shows in a value's place says what stands there. */
function expectedOf(shown: string): Expected {
  if (/^[a-z][\w-]*(?:\|[a-z][\w-]*)+$/.test(shown)) return { kind: "words", words: shown.split("|") };
  if (/^(?:SESSION|RUN|ID\|NAME)$/.test(shown)) return { kind: "session" };
  if (/FILE|DIR|\.json|PATH/.test(shown)) return { kind: "file" };
  return { kind: "anything" };
}
