import { accessSync, constants, statSync } from "node:fs";
import { posix, win32 } from "node:path";

/** Where a program is looked for. */
export interface ProgramSearch {
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The rules of a system, and its files. */
export interface ProgramFiles {
  readonly isWindows: boolean;
  isExecutable(path: string): boolean;
}

/**
 * The file of a program: a name with a slash is a path, relative ones from the workspace; a bare name is looked up on
 * the child's PATH and never in the workspace. Undefined when there is no such file that may be executed.
 * On Windows a name without one of PATHEXT's endings gets them in turn.
 */
export function resolveProgram(
  name: string,
  { workspace, env }: ProgramSearch,
  files: ProgramFiles = machineFiles,
): string | undefined {
  const { delimiter, isAbsolute, join, resolve } = files.isWindows ? win32 : posix;
  const names = files.isWindows ? windowsNames(name, env) : [name];
  const find = (paths: readonly string[]): string | undefined =>
    paths.find((path) => files.isExecutable(path));
  if (isAbsolute(name) || name.includes("/") || (files.isWindows && /[\\:]/.test(name)))
    return find(names.map((each) => resolve(workspace, each)));
  const directories = (env["PATH"] ?? "").split(delimiter).filter((directory) => directory !== "");
  return find(directories.flatMap((directory) => names.map((each) => join(directory, each))));
}

function windowsNames(name: string, env: Readonly<Record<string, string>>): readonly string[] {
  const endings = (env["PATHEXT"] ?? ".COM;.EXE").split(";").filter((ending) => ending !== "");
  const isWhole = endings.some((ending) => name.toLowerCase().endsWith(ending.toLowerCase()));
  return isWhole ? [name] : endings.map((ending) => name + ending);
}

const machineFiles: ProgramFiles = {
  isWindows: process.platform === "win32",
  isExecutable(path) {
    try {
      if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  },
};
