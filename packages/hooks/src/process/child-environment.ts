import { realpathSync } from "node:fs";
import { delimiter, isAbsolute } from "node:path";
import { isInside } from "./path-inside.ts";

/** Environment variables by name, as `process.env` holds them. */
export type Environment = Readonly<Record<string, string | undefined>>;

const BASELINE: readonly string[] =
  process.platform === "win32"
    ? ["PATH", "PATHEXT", "SystemRoot", "COMSPEC", "TEMP", "TMP"]
    : ["PATH", "HOME", "TMPDIR", "TMP", "TEMP", "LANG", "LC_ALL"];

/**
 * The environment of a hook's program: the baseline and the granted names, nothing else of the host's.
 * PATH loses entries that a repository could fill: relative, empty, or inside the workspace.
 */
export function childEnvironment(
  host: Environment,
  options: { readonly workspace: string; readonly granted: readonly string[] },
): Readonly<Record<string, string>> {
  const child: Record<string, string> = {};
  for (const name of [...BASELINE, ...options.granted]) {
    const value = Object.hasOwn(host, name) ? host[name] : undefined;
    if (value !== undefined) child[name] = value;
  }
  if (child["PATH"] !== undefined) child["PATH"] = safePath(child["PATH"], options.workspace);
  return Object.freeze(child);
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
