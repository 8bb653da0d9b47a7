import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "@basis/core";
import { isInside } from "../tools/workspace-path.ts";
import { readRegularFile } from "../input/regular-file.ts";
import { StartError } from "./start-error.ts";

const MAX_BYTES = 256 * 1024;
const CONTEXT_FILE = "AGENTS.md";

/** An AGENTS.md that stands in the system prompt. */
export interface ContextFile {
  readonly path: string;
  readonly digest: string;
  readonly text: string;
}

/**
 * The AGENTS.md chain: the user's own, then those from the repository's root down to the workspace, so that
 * the nearest one has the last word. Regular UTF-8 files of at most 256 KiB; a repository's link may not lead out of it.
 *
 * @throws StartError `workspace` with every file that is none of that.
 */
export function loadContextFiles(workspace: string, configDir: string): readonly ContextFile[] {
  const chain = directoriesFromRepositoryRoot(workspace);
  const places = [{ dir: configDir }, ...chain.map((dir) => ({ dir, within: chain[0]! }))];
  const problems: string[] = [];
  const files = places.flatMap(({ dir, within }: { dir: string; within?: string }) => {
    const path = join(dir, CONTEXT_FILE);
    if (!existsSync(path)) return [];
    try {
      return [readContextFile(path, within)];
    } catch (error) {
      problems.push(`${path}: ${(error as Error).message}`);
      return [];
    }
  });
  if (problems.length > 0) throw new StartError("workspace", problems);
  return files;
}

/** Where files of the chain lie, or would. */
export function contextFilePaths(workspace: string, configDir: string): readonly string[] {
  return [configDir, ...directoriesFromRepositoryRoot(workspace)].map((dir) => join(dir, CONTEXT_FILE));
}

function readContextFile(path: string, within: string | undefined): ContextFile {
  if (within !== undefined && !isInside(within, realpathSync(path)))
    throw new Error("it is a link that leads out of the repository; make it a file");
  const bytes = readRegularFile(path, { maxBytes: MAX_BYTES });
  return { path, digest: `sha256:${sha256(bytes)}`, text: decode(bytes) };
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("it is not UTF-8 text; save it as UTF-8");
  }
}

function directoriesFromRepositoryRoot(workspace: string): string[] {
  const chain: string[] = [];
  for (let dir = realpathSync(workspace); ; dir = dirname(dir)) {
    chain.unshift(dir);
    if (existsSync(join(dir, ".git"))) return chain;
    if (dir === dirname(dir)) return [realpathSync(workspace)];
  }
}
