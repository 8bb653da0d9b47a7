import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";

const isWindows: boolean = process.platform === "win32";

/** Where a program is looked for. */
export interface ProgramSearch {
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The file of a program: a name with a slash is a path, relative ones from the workspace; a bare name is looked up on
 * the child's PATH and never in the workspace. Undefined when there is no such file that may be executed.
 */
export function resolveProgram(name: string, search: ProgramSearch): string | undefined {
  if (isAbsolute(name) || name.includes("/") || (isWindows && name.includes("\\"))) {
    const path = resolve(search.workspace, name);
    return isExecutable(path) ? path : undefined;
  }
  const endings = isWindows ? ["", ...(search.env["PATHEXT"] ?? ".EXE").split(";")] : [""];
  for (const directory of (search.env["PATH"] ?? "").split(delimiter)) {
    if (directory === "") continue;
    const found = endings.map((ending) => join(directory, name + ending)).find(isExecutable);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isExecutable(path: string): boolean {
  try {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
