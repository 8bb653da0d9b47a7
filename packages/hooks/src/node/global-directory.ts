import { realpath, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { HookError } from "../hook-error.ts";
import type { Environment } from "../process/child-environment.ts";
import { isInside } from "../process/path-inside.ts";
import type { RegularFile } from "./regular-file.ts";

/** The mode bits that let a group or everybody write. */
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Where the operator's configuration lies: `BASIS_CONFIG_DIR`, else `XDG_CONFIG_HOME/basis`, else `HOME/.config/basis`.
 * An empty variable counts as absent; without any there is no such directory.
 */
export function globalDirectoryOf(env: Environment): string | undefined {
  if (env["BASIS_CONFIG_DIR"]) return env["BASIS_CONFIG_DIR"];
  if (env["XDG_CONFIG_HOME"]) return join(env["XDG_CONFIG_HOME"], "basis");
  const home = env["HOME"] || env["USERPROFILE"];
  return home ? join(home, ".config", "basis") : undefined;
}

/**
 * Checks that a repository cannot have written the operator's configuration: the directory is absolute, lies outside
 * the workspace, belongs to the user and is writable by nobody else. One that does not exist need only be absolute.
 *
 * @throws HookError `unsafe_global_directory`.
 */
export async function checkGlobalDirectory(directory: string, workspace: string): Promise<void> {
  if (!isAbsolute(directory)) throw unsafe(directory, "it is not an absolute path");
  const facts = await stat(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw unsafe(directory, error.message);
  });
  if (facts === undefined) return;
  if (!facts.isDirectory()) throw unsafe(directory, "it is not a directory");
  for (const path of [directory, await realpath(directory)]) {
    if (isInside(workspace, path)) throw unsafe(directory, `it lies inside the workspace ${workspace}`);
  }
  checkOwner(directory, { ownerId: facts.uid, mode: facts.mode });
}

/** The same for the file in it, which may be a link to elsewhere. @throws HookError `unsafe_global_directory`. */
export function checkGlobalFile(file: RegularFile, workspace: string): void {
  if (isInside(workspace, file.realPath)) {
    throw unsafe(file.path, `it is a link into the workspace ${workspace}`);
  }
  checkOwner(file.path, file);
}

function checkOwner(path: string, facts: { readonly ownerId: number; readonly mode: number }): void {
  const ownId = process.getuid?.();
  if (ownId === undefined) return;
  if (facts.ownerId !== ownId) throw unsafe(path, "it belongs to another user");
  if ((facts.mode & WRITABLE_BY_OTHERS) !== 0) throw unsafe(path, "others than its owner may write to it");
}

function unsafe(path: string, why: string): HookError {
  return new HookError(
    "unsafe_global_directory",
    `the global configuration ${path} is not safe to use: ${why}`,
    {
      details: { path },
    },
  );
}
