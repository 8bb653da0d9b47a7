import type { ExitCode } from "../terminal/exit-code.ts";
import type { Interrupt } from "../terminal/interrupt.ts";
import type { Options, OptionValues } from "./option.ts";

/** The one word that a command may take beside its options. */
export interface WordSpec {
  /** As the help shows it, in capitals. */
  readonly name: string;
  readonly about: string;
  readonly required: boolean;
}

/** What a command was called with. */
export interface Arguments<O extends Options> {
  readonly word: string | undefined;
  readonly options: OptionValues<O>;
}

/** What a command runs in. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The real path of the folder that the command was called in. */
  readonly directory: string;
  readonly interrupt: Interrupt;
}

/** A command as it is written down. */
export interface CommandDefinition<O extends Options> {
  /** The whole name, without `basis`. */
  readonly name: string;
  /** One sentence for the overview and the top of the help. */
  readonly about: string;
  /** Paragraphs below it: what a newcomer has to know. */
  readonly more?: readonly string[];
  readonly word?: WordSpec;
  readonly options: O;
  /** Command lines and what they do. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  /** Answers the exit code. */
  run(args: Arguments<O>, context: CommandContext): Promise<ExitCode>;
}

/** A command as the command line knows it, whatever its options are. */
export type Command = Omit<CommandDefinition<Options>, "run"> & {
  run(args: Arguments<Options>, context: CommandContext): Promise<ExitCode>;
};

/** Commands under one word, such as `sessions list`. */
export interface CommandGroup {
  readonly name: string;
  readonly about: string;
  readonly commands: Readonly<Record<string, Command>>;
}

/** Writes a command down; its options are typed inside, and nobody outside looks at them. */
export function defineCommand<const O extends Options>(definition: CommandDefinition<O>): Command {
  return definition;
}

/** True for commands under one word. */
export function isGroup(entry: Command | CommandGroup): entry is CommandGroup {
  return "commands" in entry;
}
