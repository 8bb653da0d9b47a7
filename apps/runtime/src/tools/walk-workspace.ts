import { readdir } from "node:fs/promises";
import type { Dirent } from "node:fs";
import { join } from "node:path";
import { ToolFailure } from "./tool.ts";
import { resolveInWorkspace } from "./workspace-path.ts";

const skipped = new Set([".git", "node_modules"]);

/** One entry of a walk; `shown` is relative to the workspace. */
export interface WalkEntry {
  readonly shown: string;
  readonly directory: boolean;
  /** A directory that should have been walked and cannot be listed: closed to this user, gone, or of a name that is no text. */
  readonly closed: boolean;
}

/** What to walk: `depth` counts levels below `path`. */
export interface Walk {
  readonly path: string;
  readonly depth: number;
  readonly signal: AbortSignal;
}

/** A directory that was listed. */
interface Listing {
  readonly shown: string;
  readonly entries: readonly Dirent[];
}

/**
 * Walks a directory of the workspace in name order, a directory before what it holds. Links are named, never followed.
 * A directory below that cannot be listed is `closed`; the walk goes on beside it.
 *
 * @throws ToolFailure when the directory itself cannot be listed.
 */
export async function* walkWorkspace(root: string, walk: Walk): AsyncGenerator<WalkEntry> {
  walk.signal.throwIfAborted();
  yield* walkListing(root, await listDirectory(root, walk.path), walk);
}

async function* walkListing(
  root: string,
  { shown, entries }: Listing,
  { depth, signal }: Walk,
): AsyncGenerator<WalkEntry> {
  for (const entry of entries) {
    signal.throwIfAborted();
    if (skipped.has(entry.name)) continue;
    const name = shown === "." ? entry.name : `${shown}/${entry.name}`;
    const directory = entry.isDirectory();
    const below =
      directory && depth > 1 ? { path: join(shown, entry.name), depth: depth - 1, signal } : undefined;
    const listing = below && (await listDirectory(root, below.path).catch(closedDirectory));
    yield { shown: name, directory, closed: below !== undefined && listing === undefined };
    if (below !== undefined && listing !== undefined) yield* walkListing(root, listing, below);
  }
}

async function listDirectory(root: string, path: string): Promise<Listing> {
  const { absolute, shown } = await resolveInWorkspace(root, path);
  const entries = await readdir(absolute, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new ToolFailure(`'${shown}' ${listProblem(error.code)}`);
  });
  return { shown, entries: entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

function listProblem(code: string | undefined): string {
  switch (code) {
    case "ENOTDIR":
      return "is not a directory";
    case "ENOENT":
      return "does not exist";
    default:
      return "cannot be listed";
  }
}

function closedDirectory(error: unknown): undefined {
  if (!(error instanceof ToolFailure)) throw error;
}
