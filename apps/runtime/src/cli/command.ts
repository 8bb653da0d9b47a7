import type { ArgsDef, CommandDef } from "citty";

/** A command: its options, and what it does with them; the answer is the process's exit code. */
export type Command = CommandDef;

/** Defines a command; its arguments are typed inside, and nobody outside looks at them. */
export function command<const Args extends ArgsDef>(definition: CommandDef<Args>): Command {
  return definition as unknown as Command;
}
