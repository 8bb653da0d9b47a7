import { realpath, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { HookError } from "../hook-error.ts";

/** Where a workspace's own hooks.json lies. */
export function workspaceFileOf(workspace: string): string {
  return join(workspace, ".basis", "hooks.json");
}

/** The real path of a workspace, which must be an existing directory. @throws HookError `invalid_workspace`. */
export async function realWorkspace(workspace: string, signal?: AbortSignal): Promise<string> {
  signal?.throwIfAborted();
  if (!isAbsolute(workspace)) throw invalid(workspace, "is not an absolute path");
  try {
    const path = await realpath(workspace);
    if ((await stat(path)).isDirectory()) return path;
  } catch (error) {
    throw invalid(workspace, `cannot be opened: ${(error as Error).message}`, error);
  }
  throw invalid(workspace, "is not a directory");
}

function invalid(workspace: string, why: string, cause?: unknown): HookError {
  return new HookError("invalid_workspace", `the workspace ${workspace} ${why}`, {
    details: { workspace },
    cause,
  });
}
