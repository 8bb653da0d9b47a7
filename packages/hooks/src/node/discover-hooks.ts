import { join } from "node:path";
import { frozenCopy } from "../frozen-json.ts";
import { HookError } from "../hook-error.ts";
import type { ParticipantRank } from "../participant.ts";
import type { Environment } from "../process/child-environment.ts";
import { checkGlobalDirectory, checkGlobalFile, globalDirectoryOf } from "./global-directory.ts";
import { SpecProblem, readSpecs, type HookSettings, type HookSpec } from "./hook-spec.ts";
import { readHooksFile, type HooksFile } from "./hooks-file.ts";
import { workspaceFileOf } from "./workspace-path.ts";
import { trustedHooks, type PinnedSet, type TrustOptions } from "./workspace-trust.ts";

/** Settings, and whose they are. */
export interface RankedHooks {
  readonly rank: ParticipantRank;
  readonly hooks: readonly HookSettings[];
  /** Present for a workspace's hooks that somebody vouched for. */
  readonly pins?: PinnedSet | undefined;
}

/** Where hooks are looked for. */
export interface DiscoveryOptions extends TrustOptions {
  readonly globalDir: string | undefined;
  readonly env: Environment;
}

/** The host's own specs. @throws HookError `invalid_spec`. */
export function hostHooks(specs: readonly HookSpec[] | undefined): RankedHooks {
  try {
    const hooks = readSpecs(frozenCopy(specs ?? []), "/specs");
    return { rank: "interceptor", hooks };
  } catch (error) {
    const pointer = error instanceof SpecProblem ? error.pointer : "/specs";
    const details = { pointer };
    throw new HookError("invalid_spec", `${pointer}: ${(error as Error).message}`, { details, cause: error });
  }
}

/**
 * Reads the operator's file and the workspace's. One file reached by two paths counts once, as the operator's; a
 * workspace without a file may have lost what was trusted.
 */
export async function discoverHooks(
  workspace: string,
  options: DiscoveryOptions,
): Promise<readonly RankedHooks[]> {
  const ranked: RankedHooks[] = [];
  const global = await readGlobalFile(workspace, options);
  if (global !== undefined) ranked.push({ rank: "global", hooks: global.hooks });
  const path = workspaceFileOf(workspace);
  const own = await readHooksFile(path, options.signal);
  const isOwn = own !== undefined && own.file.identity !== global?.file.identity;
  const found = { workspace, path, hooks: isOwn ? own.hooks : [] };
  ranked.push({ rank: "workspace", ...(await trustedHooks(found, options)) });
  return ranked;
}

/** The operator's file, if there is one. @throws HookError `unsafe_global_directory` and those of a hooks.json that is wrong. */
export async function readGlobalFile(
  workspace: string,
  options: Pick<DiscoveryOptions, "globalDir" | "env" | "signal">,
): Promise<HooksFile | undefined> {
  const directory = options.globalDir ?? globalDirectoryOf(options.env);
  if (directory === undefined) return undefined;
  await checkGlobalDirectory(directory, workspace);
  const found = await readHooksFile(join(directory, "hooks.json"), options.signal);
  if (found !== undefined) checkGlobalFile(found.file, workspace);
  return found;
}
