import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ToolFailure } from "./tool.ts";
import { resolveInWorkspace } from "./workspace-path.ts";

const skipped = new Set([".git", "node_modules"]);

/** One entry of a walk; `shown` is relative to the workspace. */
export interface WalkEntry {
  readonly shown: string;
  readonly directory: boolean;
}

/** What to walk: `depth` counts levels below `path`. */
export interface Walk {
  readonly path: string;
  readonly depth: number;
  readonly signal: AbortSignal;
}

/** Walks a directory of the workspace in name order, a directory before what it holds. Links are named, never followed. */
export async function* walkWorkspace(root: string, { path, depth, signal }: Walk): AsyncGenerator<WalkEntry> {
  signal.throwIfAborted();
  const { absolute, shown } = await resolveInWorkspace(root, path);
  const entries = await readdir(absolute, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new ToolFailure(
      `'${shown}' ${error.code === "ENOTDIR" ? "is not a directory" : "cannot be listed"}`,
    );
  });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    signal.throwIfAborted();
    if (skipped.has(entry.name)) continue;
    const name = shown === "." ? entry.name : `${shown}/${entry.name}`;
    const directory = entry.isDirectory();
    yield { shown: name, directory };
    if (directory && depth > 1)
      yield* walkWorkspace(root, { path: join(shown, entry.name), depth: depth - 1, signal });
  }
}
