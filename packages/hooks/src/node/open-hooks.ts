import { realpath, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { systemClock, type Clock } from "@basis/core";
import type { CallRecord } from "../audit-trail.ts";
import { frozenCopy } from "../frozen-json.ts";
import { createHookChain, type HookChain } from "../hook-chain.ts";
import { HookError } from "../hook-error.ts";
import type { Reporter } from "../hook-report.ts";
import { MAX_REQUEST_BYTES } from "../hook-request.ts";
import type { Interceptor, Participant, ParticipantRank } from "../participant.ts";
import { commandHook } from "./command-hook.ts";
import {
  checkGlobalDirectory,
  checkGlobalFile,
  globalDirectoryOf,
  type Environment,
} from "./global-directory.ts";
import type { CommandHost } from "./hook-participant.ts";
import { SpecProblem, readSpecs, type HookSettings, type HookSpec } from "./hook-spec.ts";
import { readHooksFile, type HooksFile } from "./hooks-file.ts";
import { warnOfUnknownTools } from "./known-tools.ts";
import { WorkerHooks } from "./worker-hook.ts";
import { trustedHooks, type TrustCandidate, type TrustMode } from "./workspace-trust.ts";

/** How a workspace's hooks are opened. */
export interface OpenHooksOptions {
  /** The directory whose calls are guarded: absolute and existing. Symbolic links are resolved. */
  readonly workspace: string;
  /** The operator's configuration directory. Default: from the environment (`globalDirectoryOf`). */
  readonly globalDir?: string | undefined;
  /** The host's own guards, asked first. */
  readonly interceptors?: readonly Interceptor[] | undefined;
  /** Hooks of the host, as entries of hooks.json; asked after its interceptors and of the same rank. */
  readonly specs?: readonly HookSpec[] | undefined;
  /** Whether hooks.json files are read. Default true. */
  readonly discovery?: boolean | undefined;
  /** What happens to hooks of the workspace's file that nobody has trusted. Default `refuse`. */
  readonly trust?: TrustMode | undefined;
  /** Answers whether a workspace's file is trusted already; asked unless `trust` is `run`. */
  readonly isTrusted?: ((candidate: TrustCandidate) => boolean | Promise<boolean>) | undefined;
  /** The tools there are: a filter that matches none of them is reported. */
  readonly knownTools?: readonly string[] | undefined;
  /** Default: one line to `console.error`. */
  readonly report?: Reporter | undefined;
  readonly onTrail?: ((record: CallRecord) => void) | undefined;
  /** Default 100. */
  readonly trailSize?: number | undefined;
  /** Default 8 MiB. */
  readonly maxRequestBytes?: number | undefined;
  /** The host's variables. Default `process.env`. */
  readonly env?: Environment | undefined;
  readonly clock?: Clock | undefined;
  /** Ends the opening; the chain itself is ended by `close`. */
  readonly signal?: AbortSignal | undefined;
}

/** Settings, and whose they are. */
interface Ranked {
  readonly rank: ParticipantRank;
  readonly hooks: readonly HookSettings[];
}

/**
 * Opens the chain of a workspace: the host's interceptors and specs, the operator's hooks.json, the workspace's own.
 * Everything is checked before anything runs.
 *
 * @throws HookError with any code of the configuration.
 */
export async function openHooks(options: OpenHooksOptions): Promise<HookChain> {
  const report: Reporter = options.report ?? ((message) => console.error(message));
  const workspace = await realWorkspace(options);
  const ranked = [hostSpecs(options.specs), ...(await discover(workspace, { ...options, report }))];
  options.signal?.throwIfAborted();

  const running = new Set<Promise<unknown>>();
  const host: CommandHost = {
    workspace,
    env: options.env ?? process.env,
    clock: options.clock ?? systemClock,
    maxRequestBytes: options.maxRequestBytes ?? MAX_REQUEST_BYTES,
    track: (promise) => {
      running.add(promise);
      void promise.then(() => running.delete(promise));
    },
  };
  const workers = new WorkerHooks(host, report);
  const hooks = ranked.flatMap(({ rank, hooks }) =>
    hooks.map((settings) =>
      settings.mode === "worker" ? workers.hook(settings, rank) : commandHook(settings, rank, host),
    ),
  );
  const participants: readonly Participant[] = [...(options.interceptors ?? []), ...hooks];
  const { onTrail, trailSize, maxRequestBytes, clock } = options;
  const limits = { trailSize, maxRequestBytes, clock };
  const onClose = async (): Promise<void> => {
    workers.close();
    await Promise.all(running);
  };
  const chain = createHookChain({ workspace, participants, report, onTrail, onClose, ...limits });
  warnOfUnknownTools(chain.participants, options.knownTools, report);
  return chain;
}

async function realWorkspace({ workspace, signal }: OpenHooksOptions): Promise<string> {
  signal?.throwIfAborted();
  if (!isAbsolute(workspace)) throw invalidWorkspace(workspace, "is not an absolute path");
  try {
    const path = await realpath(workspace);
    if ((await stat(path)).isDirectory()) return path;
  } catch (error) {
    throw invalidWorkspace(workspace, `cannot be opened: ${(error as Error).message}`, error);
  }
  throw invalidWorkspace(workspace, "is not a directory");
}

function invalidWorkspace(workspace: string, why: string, cause?: unknown): HookError {
  return new HookError("invalid_workspace", `the workspace ${workspace} ${why}`, {
    details: { workspace },
    cause,
  });
}

function hostSpecs(specs: readonly HookSpec[] | undefined): Ranked {
  try {
    const hooks = readSpecs(frozenCopy(specs ?? []), "/specs");
    return { rank: "interceptor", hooks };
  } catch (error) {
    const pointer = error instanceof SpecProblem ? error.pointer : "/specs";
    const details = { pointer };
    throw new HookError("invalid_spec", `${pointer}: ${(error as Error).message}`, { details, cause: error });
  }
}

/** Reads the operator's file and the workspace's. One file reached by two paths counts once, as the operator's. */
async function discover(
  workspace: string,
  options: OpenHooksOptions & { readonly report: Reporter },
): Promise<readonly Ranked[]> {
  const { discovery = true, trust = "refuse", isTrusted, report, signal } = options;
  if (!discovery) return [];
  const ranked: Ranked[] = [];
  const global = await readGlobalFile(workspace, options);
  if (global !== undefined) ranked.push({ rank: "global", hooks: global.hooks });
  const own = await readHooksFile(join(workspace, ".basis", "hooks.json"), signal);
  if (own !== undefined && own.file.identity !== global?.file.identity) {
    const hooks = await trustedHooks(own, workspace, { trust, isTrusted, report });
    ranked.push({ rank: "workspace", hooks });
  }
  return ranked;
}

async function readGlobalFile(workspace: string, options: OpenHooksOptions): Promise<HooksFile | undefined> {
  const directory = options.globalDir ?? globalDirectoryOf(options.env ?? process.env);
  if (directory === undefined) return undefined;
  await checkGlobalDirectory(directory, workspace);
  const found = await readHooksFile(join(directory, "hooks.json"), options.signal);
  if (found !== undefined) checkGlobalFile(found.file, workspace);
  return found;
}
