import { execFile } from "node:child_process";
import { opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { StartError } from "../config/start-error.ts";

const MAX_FILES = 20_000;
const MAX_BYTES = 256 * 1024 * 1024;

/** Directories that hold what tools made, wherever they stand. */
const left: ReadonlySet<string> = new Set([".git", "node_modules", "dist", ".basis", ".turbo", "coverage"]);

/**
 * The files of a folder that the demonstration copies, by relative path: the tracked ones, or, where git knows nothing of
 * the folder, all but those in `.git`, `node_modules` and build directories.
 *
 * @throws StartError `workspace` beyond 20,000 files or 256 MiB.
 */
export async function filesToCopy(directory: string, signal: AbortSignal): Promise<readonly string[]> {
  const tracked = await trackedFiles(directory, signal);
  const paths = tracked ?? (await walk(directory, signal));
  let bytes = 0;
  if (paths.length > MAX_FILES) throw tooBig(directory);
  for (const path of paths) {
    signal.throwIfAborted();
    bytes += (await stat(join(directory, path)).catch(() => undefined))?.size ?? 0;
    if (bytes > MAX_BYTES) throw tooBig(directory);
  }
  return paths;
}

/** Undefined where there is no git, no repository, or nothing tracked. */
async function trackedFiles(directory: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
  try {
    const { stdout } = await promisify(execFile)("git", ["ls-files", "-z"], {
      cwd: directory,
      maxBuffer: 64 * 1024 * 1024,
      signal,
    });
    const paths = stdout.split("\0").filter((path) => path !== "");
    return paths.length === 0 ? undefined : paths;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

async function walk(directory: string, signal: AbortSignal): Promise<readonly string[]> {
  const paths: string[] = [];
  const pending = [""];
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    const entries = await opendir(join(directory, below)).catch(() => undefined);
    if (entries === undefined) continue;
    for await (const entry of entries) {
      signal.throwIfAborted();
      if (left.has(entry.name)) continue;
      if (entry.isDirectory()) pending.push(join(below, entry.name));
      else if (entry.isFile()) paths.push(join(below, entry.name));
      if (paths.length > MAX_FILES || pending.length > MAX_FILES) throw tooBig(directory);
    }
  }
  return paths.toSorted();
}

function tooBig(directory: string): StartError {
  return new StartError("workspace", [
    `${directory} is too big to copy: the demonstration takes at most ${MAX_FILES} files and ${MAX_BYTES / 1024 / 1024} MiB; run it in a smaller folder, such as a clone of this project`,
  ]);
}
