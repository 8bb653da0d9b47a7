import { realpathSync } from "node:fs";
import { delimiter, isAbsolute } from "node:path";
import { isInside } from "./path-inside.ts";

/** Environment variables by name, as `process.env` holds them. */
export type Environment = Readonly<Record<string, string | undefined>>;

const POSIX_BASELINE: readonly string[] = ["PATH", "HOME", "TMPDIR", "TMP", "TEMP", "LANG", "LC_ALL"];
const WINDOWS_BASELINE: readonly string[] = ["PATH", "PATHEXT", "SystemRoot", "COMSPEC", "TEMP", "TMP"];

const isWindows: boolean = process.platform === "win32";

/**
 * The environment of a program that is started for an agent: the baseline and the granted names, nothing else of the host's.
 * PATH loses entries that a repository could fill: relative, empty, or inside the workspace.
 */
export function childEnvironment(
  host: Environment,
  options: { readonly workspace: string; readonly granted: readonly string[] },
): Readonly<Record<string, string>> {
  const child = namedVariables(host, options.granted, isWindows);
  if (child["PATH"] !== undefined) child["PATH"] = safePath(child["PATH"], options.workspace);
  return Object.freeze(child);
}

/** The baseline of a system and the granted names, as they are written here; Windows does not tell cases apart. */
export function namedVariables(
  host: Environment,
  granted: readonly string[],
  onWindows: boolean,
): Record<string, string> {
  const fold = (name: string): string => (onWindows ? name.toUpperCase() : name);
  const values = new Map(Object.entries(host).map(([name, value]) => [fold(name), value]));
  const child: Record<string, string> = {};
  for (const name of [...(onWindows ? WINDOWS_BASELINE : POSIX_BASELINE), ...granted]) {
    const value = values.get(fold(name));
    if (value !== undefined) child[name] = value;
  }
  return child;
}

/** A PATH without relative, empty and workspace-inside entries. */
export function safePath(path: string, workspace: string): string {
  return path
    .split(delimiter)
    .filter(
      (entry) => isAbsolute(entry) && !isInside(workspace, entry) && !isInside(workspace, realPathOf(entry)),
    )
    .join(delimiter);
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
