import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "@basis/core";
import { existsSync } from "node:fs";

const MAX_BYTES = 256 * 1024;

/** An AGENTS.md that stands in the system prompt. */
export interface ContextFile {
  readonly path: string;
  readonly digest: string;
  readonly text: string;
}

/**
 * The AGENTS.md chain: the user's own, then those from the repository's root down to the workspace, so that
 * the nearest one has the last word. A file beyond 256 KiB refuses the start.
 */
export function loadContextFiles(workspace: string, configDir: string): readonly ContextFile[] {
  return [configDir, ...directoriesFromRepositoryRoot(workspace)]
    .map((dir) => join(dir, "AGENTS.md"))
    .filter((path) => existsSync(path))
    .map(readContextFile);
}

function readContextFile(path: string): ContextFile {
  const bytes = readFileSync(path);
  if (bytes.length > MAX_BYTES)
    throw new Error(`${path} has ${bytes.length} bytes; shorten it to ${MAX_BYTES} or less`);
  return { path, digest: `sha256:${sha256(bytes)}`, text: bytes.toString("utf8") };
}

function directoriesFromRepositoryRoot(workspace: string): string[] {
  const chain: string[] = [];
  for (let dir = realpathSync(workspace); ; dir = dirname(dir)) {
    chain.unshift(dir);
    if (existsSync(join(dir, ".git"))) return chain;
    if (dir === dirname(dir)) return [workspace];
  }
}
