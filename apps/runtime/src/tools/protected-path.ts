import { existsSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readRegularFile, unreadable } from "../input/regular-file.ts";
import { ToolFailure } from "./tool.ts";
import { isInside, shownPath } from "./workspace-path.ts";

/**
 * Refuses paths that file tools may read but never write: the repository's own records, wherever they lie, and the
 * agent's guards. `real` is the path with its links followed; both spellings are judged. `trusted` are the real paths of
 * the code that the user said yes to.
 */
export async function refuseProtected(
  root: string,
  { shown, real }: { readonly shown: string; readonly real: string },
  trusted: ReadonlySet<string> = new Set(),
): Promise<void> {
  if (trusted.has(real)) {
    throw new ToolFailure(
      `'${shown}' is read-only for tools: the user trusted it as it is, as code of a hook, a server or a tool`,
    );
  }
  const guarded = isGuarded(shown) || isGuarded(shownPath(root, real));
  if (!guarded && !(await gitDirectories(root)).some((directory) => isInside(directory, real))) return;
  throw new ToolFailure(
    `'${shown}' is read-only for tools: .git, .basis, .mcp.json and agents decide what may run here`,
  );
}

/** Names at the root, with the short names that Windows gives them. */
const guardedAtRoot: ReadonlySet<string> = new Set([".basis", "basis~1", ".mcp.json", "mcp~1.jso", "agents"]);
const gitNames: ReadonlySet<string> = new Set([".git", "git~1"]);

function isGuarded(shown: string): boolean {
  const parts = shown.split("/").map(fold);
  return guardedAtRoot.has(parts[0] ?? "") || parts.some((part) => gitNames.has(part));
}

/** One spelling for names that some file system takes for the same. */
function fold(part: string): string {
  const folded = part
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, "")
    .replace(/::?\$.*$/, "");
  return folded.replace(/[. ]+$/, "") || folded;
}

/** Most bytes of a file that names a git directory. */
const MAX_BYTES = 64 * 1024;

/** Where the root's `.git` really is: itself, what it links to, or what its `gitdir:` line and `commondir` name. */
async function gitDirectories(root: string): Promise<readonly string[]> {
  const dotGit = join(root, ".git");
  try {
    const real = await realpath(dotGit);
    if ((await stat(real)).isDirectory()) return [real];
    const named = /^gitdir:\s*(.+?)\s*$/m.exec(readText(real))?.[1];
    if (named === undefined) return [real];
    const directory = await realpath(resolve(root, named));
    const common = existsSync(join(directory, "commondir")) ? readText(join(directory, "commondir")) : ".";
    return [real, directory, await realpath(resolve(directory, common.trim()))];
  } catch (error) {
    if (isMissing(error)) return [];
    throw new ToolFailure(`the repository's own '.git' cannot be told: ${unreadable(error)}`);
  }
}

function readText(path: string): string {
  return readRegularFile(path, { maxBytes: MAX_BYTES }).toString("utf8");
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}
