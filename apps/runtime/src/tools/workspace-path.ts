import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { ToolFailure } from "./tool.ts";

/** A path of the workspace: as the system knows it, and as people write it. */
export interface WorkspacePath {
  readonly absolute: string;
  /** Relative to the root, with `/`; the root itself is `.`. */
  readonly shown: string;
}

/** True when `path` is `root` or lies below it. Both must be absolute and real. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (!way.startsWith(`..${sep}`) && way !== ".." && !isAbsolute(way));
}

/**
 * Resolves what a model wrote against the workspace's real root. The longest existing part of the path is
 * followed through its links and must still be inside, so that nothing is created outside either.
 */
export async function resolveInWorkspace(root: string, path: string): Promise<WorkspacePath> {
  if (path.includes("\0")) throw new ToolFailure("a path cannot hold a NUL character");
  const absolute = resolve(root, path);
  if (!isInside(root, absolute)) throw outside(path);
  const real = await realpathOfExisting(absolute);
  if (!isInside(root, real)) throw outside(path);
  return { absolute, shown: relative(root, absolute).split(sep).join("/") || "." };
}

/** Refuses paths that file tools may read but never write: the repository's own records and the agent's guards. */
export function refuseProtected(shown: string): void {
  const parts = shown.split("/").map(fold);
  const first = parts[0] ?? "";
  const guarded = first === ".basis" || first === ".mcp.json" || first === "agents" || parts.includes(".git");
  if (guarded) {
    throw new ToolFailure(
      `'${shown}' is read-only for tools: .git, .basis, .mcp.json and agents decide what may run here`,
    );
  }
}

/** One spelling for names that some file system takes for the same. */
function fold(part: string): string {
  return part
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, "")
    .replace(/(::?\$.*|~1)$/, "")
    .replace(/[. ]+$/, (tail) => (tail === part ? tail : ""));
}

async function realpathOfExisting(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    try {
      return await realpath(at);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if ((code !== "ENOENT" && code !== "ENOTDIR") || at === dirname(at)) throw error;
    }
  }
}

function outside(path: string): ToolFailure {
  return new ToolFailure(`'${path}' is outside the workspace; name a path inside it`);
}
