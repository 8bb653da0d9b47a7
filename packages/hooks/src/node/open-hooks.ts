import { systemClock, type Clock } from "@basis/core";
import type { CallRecord } from "../audit-trail.ts";
import { createHookChain, type HookChain } from "../hook-chain.ts";
import type { Reporter } from "../hook-report.ts";
import { MAX_REQUEST_BYTES } from "../hook-request.ts";
import type { HookParticipant, Interceptor, Participant, ParticipantRank } from "../participant.ts";
import { directRunner, openRunner } from "../process/program-runner.ts";
import { PrivateCode } from "../trust/private-code.ts";
import { verifiedHook } from "../trust/verified-hook.ts";
import { commandHook } from "./command-hook.ts";
import { discoverHooks, hostHooks, type RankedHooks } from "./discover-hooks.ts";
import type { Environment } from "../process/child-environment.ts";
import type { CommandHost } from "./hook-participant.ts";
import type { HookSettings, HookSpec } from "./hook-spec.ts";
import { warnOfUnknownTools } from "./known-tools.ts";
import { ReloadableHooks, type OpenedHooks } from "./reloadable-hooks.ts";
import { WorkerHooks } from "./worker-hook.ts";
import { realWorkspace } from "./workspace-path.ts";
import type { TrustCandidate, TrustMode } from "./workspace-trust.ts";

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
  /** The user's record of trust (`trustWorkspace` of `@basis/hooks/trust`). What differs from it refuses in every mode. */
  readonly trustFile?: string | undefined;
  /** Answers for a host that keeps trust itself; asked unless `trust` is `run` or the workspace is in `trustFile`. */
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
  /**
   * Whether programs are started through a launcher, a small shell kept warm, where there can be one. Without it this
   * process starts each itself, which holds its event loop longer the larger it is. Default true.
   */
  readonly launcher?: boolean | undefined;
  /** Ends the opening; the chain itself is ended by `close`. */
  readonly signal?: AbortSignal | undefined;
}

/** The options with what every step needs. */
type OpenContext = OpenHooksOptions & { readonly report: Reporter };

/**
 * Opens the chain of a workspace: the host's interceptors and specs, the operator's hooks.json, the workspace's own.
 * Everything is checked before anything runs.
 *
 * @throws HookError with any code of the configuration.
 */
export async function openHooks(options: OpenHooksOptions): Promise<OpenedHooks> {
  const report: Reporter = options.report ?? ((message) => console.error(message));
  const context: OpenContext = { ...options, report };
  const workspace = await realWorkspace(options.workspace, options.signal);
  const read = (signal: AbortSignal | undefined): Promise<readonly RankedHooks[]> =>
    readPlan(workspace, { ...context, signal });
  const open = (plan: readonly RankedHooks[]): Promise<HookChain> => openChain(workspace, plan, context);
  const plan = await read(options.signal);
  const { trailSize } = options;
  return new ReloadableHooks({ plan, chain: await open(plan), read, open, report, trailSize });
}

async function readPlan(workspace: string, options: OpenContext): Promise<readonly RankedHooks[]> {
  const { discovery = true, trust = "refuse", env = process.env, report, signal } = options;
  const { trustFile, isTrusted, globalDir } = options;
  const settle = { trust, trustFile, isTrusted, globalDir, env, report, signal };
  const found = discovery ? await discoverHooks(workspace, settle) : [];
  const plan = [hostHooks(options.specs), ...found];
  signal?.throwIfAborted();
  return plan;
}

/** Opens the chain of hooks that were read, and of the host's interceptors. */
export async function openChain(
  workspace: string,
  plan: readonly RankedHooks[],
  options: OpenContext,
): Promise<HookChain> {
  const running = new Set<Promise<unknown>>();
  const runner = startsPrograms(plan) && options.launcher !== false ? openRunner() : directRunner();
  const host: CommandHost = {
    workspace,
    env: options.env ?? process.env,
    clock: options.clock ?? systemClock,
    runner,
    maxRequestBytes: options.maxRequestBytes ?? MAX_REQUEST_BYTES,
    track: (promise) => {
      running.add(promise);
      void promise.then(() => running.delete(promise));
    },
  };
  const { report, onTrail, trailSize, maxRequestBytes, clock } = options;
  const codes: PrivateCode[] = [];
  const workers = new WorkerHooks(host, report);
  const hookOf = (settings: HookSettings, rank: ParticipantRank): HookParticipant =>
    settings.mode === "worker" ? workers.hook(settings, rank) : commandHook(settings, rank, host);
  const onClose = async (): Promise<void> => {
    workers.close();
    await Promise.all(running);
    await runner.close();
    await Promise.all(codes.map((code) => code.remove()));
  };
  const participants: Participant[] = [...(options.interceptors ?? [])];
  const limits = { trailSize, maxRequestBytes, clock };
  try {
    for (const ranked of plan)
      participants.push(...(await participantsOf(ranked, { workspace, hookOf, report, codes })));
    const chain = createHookChain({ workspace, participants, report, onTrail, onClose, ...limits });
    warnOfUnknownTools(chain.participants, options.knownTools, report);
    return chain;
  } catch (error) {
    await onClose();
    throw error;
  }
}

function startsPrograms(plan: readonly RankedHooks[]): boolean {
  return plan.some(({ hooks }) => hooks.length > 0);
}

/** The hooks of one origin; those that somebody vouched for run from copies of the very bytes. */
async function participantsOf(
  { rank, hooks, pins }: RankedHooks,
  ports: {
    readonly workspace: string;
    readonly hookOf: (settings: HookSettings, rank: ParticipantRank) => HookParticipant;
    readonly report: Reporter;
    readonly codes: PrivateCode[];
  },
): Promise<readonly HookParticipant[]> {
  const { workspace, hookOf, report, codes } = ports;
  if (pins === undefined || pins.entries.length === 0) return hooks.map((settings) => hookOf(settings, rank));
  const code = await PrivateCode.create(pins.codeRoot, workspace, pins.entries);
  codes.push(code);
  return pins.entries.map((entry) => {
    const settings = { ...entry.settings, command: code.commandOf(entry) };
    const problemOf = (signal: AbortSignal): Promise<string | undefined> => code.problemOf(entry, signal);
    return verifiedHook(hookOf(settings, rank), { problemOf, report });
  });
}
