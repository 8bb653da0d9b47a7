import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { ToolFailure } from "./tool.ts";

/** A path of the workspace: as the system knows it, and as people write it. */
export interface WorkspacePath {
  readonly absolute: string;
  /** With every link of its existing part followed. */
  readonly real: string;
  /** Relative to the root, with `/`; the root itself is `.`. */
  readonly shown: string;
}

/** True when `path` is `root` or lies below it. Both must be absolute and real. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (!way.startsWith(`..${sep}`) && way !== ".." && !isAbsolute(way));
}

/** A real path relative to the root, with `/`. */
export function shownPath(root: string, path: string): string {
  return relative(root, path).split(sep).join("/") || ".";
}

/**
 * Resolves what a model wrote against the workspace's real root. The longest existing part of the path is
 * followed through its links and must still be inside, so that nothing is created outside either.
 */
export async function resolveInWorkspace(root: string, path: string): Promise<WorkspacePath> {
  if (path.includes("\0")) throw new ToolFailure("a path cannot hold a NUL character");
  const absolute = resolve(root, path);
  if (!isInside(root, absolute)) throw outside(path);
  const real = await followExisting(absolute);
  if (!isInside(root, real)) throw outside(path);
  return { absolute, real, shown: shownPath(root, absolute) };
}

/** The path with the links of its longest existing part followed. */
async function followExisting(path: string): Promise<string> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(await realpath(at), ...missing);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if ((code !== "ENOENT" && code !== "ENOTDIR") || at === dirname(at)) throw error;
      missing.unshift(at.slice(dirname(at).length).replace(/^[/\\]/, ""));
    }
  }
}

function outside(path: string): ToolFailure {
  return new ToolFailure(`'${path}' is outside the workspace; name a path inside it`);
}
