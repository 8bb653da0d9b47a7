import { readSpecs } from "../node/hook-spec.ts";
import type { Environment } from "../process/child-environment.ts";
import { pinEntries } from "./pin-entries.ts";
import type { FilePin } from "./trust-record.ts";

/** A program that a file of a workspace names, other than a hooks.json. */
export interface ProgramToPin {
  /** What the file calls it. */
  readonly name: string;
  /** The program and its arguments; relative ones are found from the workspace. */
  readonly command: readonly string[];
  /** Names of the variables that it is given beside the baseline. */
  readonly env?: readonly string[] | undefined;
  /** What its code imports or reads, as relative paths inside the workspace. */
  readonly files?: readonly string[] | undefined;
}

/** Where a program would run. */
export interface PinProgramOptions {
  /** A real path. */
  readonly workspace: string;
  /** The host's variables, by whose PATH programs are found. */
  readonly env: Environment;
  readonly signal?: AbortSignal | undefined;
}

/** A program as it stands now, for a host that keeps the record itself. */
export interface ProgramPin {
  /** As in `EntryPin`. */
  readonly program: string;
  /** The file of the command's first word: start this one. Undefined when there is none. */
  readonly programPath: string | undefined;
  /** The script, files among the arguments, and the declared `files`. */
  readonly files: readonly FilePin[];
  /** Why its code is not fixed by these pins, in words; empty when it is. */
  readonly unpinned: readonly string[];
}

/**
 * Pins a program as a hook's is pinned: what its first word stands for, and the bytes of its code. Runs nothing.
 *
 * @throws SpecProblem when a hooks.json could not name it so.
 */
export async function pinProgram(program: ProgramToPin, options: PinProgramOptions): Promise<ProgramPin> {
  const { name, command, env = [], files = [] } = program;
  const specs = [{ name, command: [...command], env: [...env], files: [...files] }];
  const [pinned] = await pinEntries(readSpecs(specs, ""), options);
  const { pin, programPath } = pinned!;
  return { program: pin.program, programPath, files: pin.files, unpinned: pin.unpinned };
}
