import type { Environment } from "../process/child-environment.ts";
import type { ExitCode } from "./exit-code.ts";
import type { Paint } from "./layout.ts";

/** An option of a command. */
export interface OptionSpec {
  readonly about: string;
  /** What the help shows in the value's place; absent for a flag, which takes none. */
  readonly value?: string;
}

/** The words that a command takes beside its options. */
export interface WordsSpec {
  /** As the help shows them. */
  readonly shown: string;
  readonly about: string;
  readonly least: number;
  readonly most: number;
}

/** What a command was called with. */
export interface Arguments<Name extends string = string> {
  readonly words: readonly string[];
  has(name: Name): boolean;
  /** The value of an option; the last one when it was given twice. */
  text(name: Name): string | undefined;
}

/** What a command runs in. */
export interface CommandContext {
  readonly env: Environment;
  /** The folder that the command was called in. */
  readonly directory: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** Colours for the answer; none where nobody looks. */
  readonly paint: Paint;
  /** Writes lines of the answer to standard output. Untrusted text in them must have been made visible. */
  print(text: string): void;
  /** Writes a line for a person to standard error, made visible. */
  note(text: string): void;
}

/** A command as it is written down. */
export interface Command<Name extends string = string> {
  readonly name: string;
  /** One sentence for the overview and the top of the help. */
  readonly about: string;
  /** Paragraphs below it. */
  readonly more: readonly string[];
  readonly words?: WordsSpec;
  readonly options: Readonly<Record<Name, OptionSpec>>;
  /** Command lines and what they do. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  run(args: Arguments<Name>, context: CommandContext): Promise<ExitCode>;
}

/** The option that every command has. */
export const jsonOption: OptionSpec = { about: "print one JSON document instead of text" };
