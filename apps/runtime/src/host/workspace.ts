import { realpathSync } from "node:fs";
import type { AgentFile } from "@basis/child-policy/agents";
import type { HookChain, Interceptor } from "@basis/hooks";
import type { HookSpec, OpenedHooks, TrustCandidate, TrustMode } from "@basis/hooks/node";
import { loadContextFiles, type ContextFile } from "../config/context-files.ts";
import type { GrantPlace } from "../config/grant.ts";
import { joinRefusals, startStage, startTogether } from "../config/start-error.ts";
import type { Environment } from "../config/data-dir.ts";
import type { AskedGrants } from "../config/workspace-grants.ts";
import { systemPrompt } from "../agent/model/system-prompt.ts";
import { TrailRouter } from "../agent/calls/trail-router.ts";
import { isTold, statusInWords } from "../mcp/server-state.ts";
import { ServerPool } from "../mcp/server-pool.ts";
import type { ServerTools } from "../mcp/server-tools.ts";
import { baselineEnvironment } from "../tools/run-process.ts";
import type { CommandSetting } from "../tools/run-tool.ts";
import type { Tool } from "../tools/tool.ts";
import { loadSkills, type Skill } from "../skills/load-skills.ts";
import { addEnvironment } from "../secrets/environment-secrets.ts";
import { secrets } from "../secrets/secrets.ts";
import { trustedFiles } from "../config/trusted-files.ts";
import { openGuards, problemsOfHooks, yesOfTheStart } from "./workspace-guards.ts";
import { allSkills } from "./workspace-skills.ts";
import { knownToolNames, workspaceTools } from "./workspace-tool-list.ts";
import {
  readAskedTools,
  settleAskedTools,
  startServers,
  type AskedTools,
  type GrantedTools,
} from "./workspace-tools.ts";

/** How a workspace is opened. */
export interface WorkspaceOptions {
  readonly directory: string;
  readonly configDir: string;
  readonly env: Environment;
  /** What becomes of the workspace's own hooks, servers and tools; see `openHooks`. Default `refuse`. */
  readonly trust?: TrustMode | undefined;
  readonly trustFile?: string | undefined;
  readonly isTrusted?: ((candidate: TrustCandidate) => boolean | Promise<boolean>) | undefined;
  /** Awaited before the hooks are opened and anything is started: records what the user said yes to. */
  readonly recordTrust?: ((workspace: string, files: readonly AskedGrants[]) => Promise<unknown>) | undefined;
  readonly interceptors?: readonly Interceptor[] | undefined;
  readonly hooks?: readonly HookSpec[] | undefined;
  /** Whether MCP servers that are trusted are started. Default true. */
  readonly startServers?: boolean | undefined;
  /** Whether `run` and the commands of `spawn` exist. Default false. */
  readonly allowCommands?: boolean | undefined;
  readonly report: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** What belongs to one repository: settled once, shared by every run in it. */
export interface WorkspaceFacts {
  readonly root: string;
  readonly contextFiles: readonly ContextFile[];
  readonly system: string;
  readonly hooks: HookChain;
  readonly trail: TrailRouter;
  /** Every tool but those of servers, which come and go, and `spawn`, which belongs to an agent. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly servers: ServerTools;
  readonly commands: CommandSetting | undefined;
  /** Who a task may be delegated to by name. */
  readonly agents: readonly AgentFile[];
  /** Instructions that an agent loads by name. */
  readonly skills: readonly Skill[];
  /** Ends the servers and the guards. */
  close(): Promise<void>;
}

/** A workspace that is open, and how its files are read once more. */
export interface OpenedWorkspace {
  readonly facts: WorkspaceFacts;
  readonly hooks: OpenedHooks;
  /**
   * What its files say now, its guards already in force; closing the answer ends what it alone uses. When anything of it is wrong
   * or not trusted, nothing has changed. A server that is asked for as before runs on.
   *
   * @throws StartError, HookError
   */
  readAgain(): Promise<WorkspaceFacts>;
}

/** What all states of a workspace have in common. */
interface Ground {
  readonly options: WorkspaceOptions;
  readonly place: GrantPlace;
  readonly commands: CommandSetting | undefined;
  readonly trail: TrailRouter;
  readonly pool: ServerPool;
}

/** A state that was read and granted; nothing of it runs yet. */
interface GrantedState {
  readonly contextFiles: readonly ContextFile[];
  readonly asked: AskedTools;
  readonly granted: GrantedTools;
  readonly skills: readonly Skill[];
}

/**
 * Reads the workspace's files, opens its guards and starts its servers. Everything invalid refuses, naming file and
 * line, before anything is started.
 */
export async function openWorkspaceFacts(options: WorkspaceOptions): Promise<WorkspaceFacts> {
  return (await openWorkspace(options)).facts;
}

/** The same, of a workspace whose files may change while it is open. */
export async function openWorkspace(given: WorkspaceOptions): Promise<OpenedWorkspace> {
  const { env, signal } = given;
  addEnvironment(secrets, env);
  const root = realpathSync(given.directory);
  const yes = yesOfTheStart(given.isTrusted);
  const options = { ...given, isTrusted: yes.isTrusted };
  const ground: Ground = {
    options,
    place: { workspace: root, env, signal },
    commands: options.allowCommands ? { root, env: baselineEnvironment(env, root) } : undefined,
    trail: new TrailRouter(),
    pool: new ServerPool(),
  };
  const read = await readFiles(ground).catch(async (error: unknown) => {
    throw joinRefusals([error, ...(await problemsOfHooks(options, root))]);
  });
  await options.recordTrust?.(root, read.asked.files);
  const knownTools = [...knownToolNames(root, read.asked)];
  let isReading = false;
  const report = (text: string): void => {
    if (!isReading) options.report(text);
  };
  const guards = openGuards(options, { root, onTrail: ground.trail.route, knownTools, report });
  const [granted, hooks] = await bothOrNeither(settle(ground, read), guards);
  yes.end();
  const close = async (servers: ServerTools): Promise<void> => {
    await Promise.all([servers.close(), hooks.close()]);
  };
  try {
    const facts = await factsOf(ground, granted, hooks);
    return {
      hooks,
      facts: { ...facts, close: () => close(facts.servers) },
      async readAgain() {
        const state = await settle(ground, await readFiles(ground));
        const next = await factsOf(ground, state, hooks);
        const before = knownTools.splice(0, Infinity, ...knownToolNames(root, state.asked));
        isReading = true;
        const outcome = await hooks.reload({ signal }).finally(() => (isReading = false));
        if (outcome.swapped) return { ...next, close: () => next.servers.close() };
        knownTools.splice(0, Infinity, ...before);
        await next.servers.close();
        throw outcome.error ?? new Error("the workspace is closed");
      },
    };
  } catch (error) {
    await hooks.close();
    throw error;
  }
}

type ReadState = Pick<GrantedState, "contextFiles" | "asked"> & { readonly ownSkills: readonly Skill[] };

async function readFiles({ options, place }: Ground): Promise<ReadState> {
  const [contextFiles, asked, ownSkills] = await startTogether(
    startStage("workspace", () => loadContextFiles(place.workspace, options.configDir)),
    readAskedTools(place),
    loadSkills(options.configDir, "skills"),
  );
  return { contextFiles, asked, ownSkills };
}

async function settle(
  { options, place }: Ground,
  { contextFiles, asked, ownSkills }: ReadState,
): Promise<GrantedState> {
  const { trust, trustFile, isTrusted } = options;
  const granted = await settleAskedTools(asked, place, {
    workspace: place.workspace,
    trust,
    trustFile,
    isTrusted,
  });
  return { contextFiles, asked, granted, skills: allSkills(ownSkills, granted.skills) };
}

async function factsOf(
  { options, place, commands, trail, pool }: Ground,
  { contextFiles, asked, granted, skills }: GrantedState,
  hooks: HookChain,
): Promise<Omit<WorkspaceFacts, "close">> {
  const { trust, trustFile, report } = options;
  const { workspace: root, signal } = place;
  const trusted = await trustedFiles(granted, { workspace: root, trustFile, signal });
  const tools = workspaceTools(root, { commands, declared: granted.declared, trusted, skills });
  for (const text of untrustedInWords(asked, granted)) report(text);
  const servers = await startServers(granted, place, {
    start: options.startServers ?? true,
    verify: trust !== "run",
    pool,
  });
  for (const status of servers.status().filter(isTold))
    if (status.state !== "ready") report(statusInWords(status));
  const system = systemPrompt({ contextFiles, skills });
  return {
    root,
    contextFiles,
    system,
    hooks,
    trail,
    tools,
    servers,
    commands,
    agents: granted.agents,
    skills,
  };
}

/** Guards that were opened beside a refusal are closed again. */
async function bothOrNeither<State>(
  settling: Promise<State>,
  guards: Promise<OpenedHooks>,
): Promise<[State, OpenedHooks]> {
  try {
    return await startTogether(settling, guards);
  } catch (error) {
    await guards.then(
      (chain) => chain.close(),
      () => undefined,
    );
    throw error;
  }
}

/** What was left out, and how that is changed. */
function untrustedInWords({ files }: AskedTools, { untrusted }: GrantedTools): readonly string[] {
  const servers = untrusted.servers.map(({ settings }) => settings.name);
  return [servers, untrusted.declared, untrusted.agents, untrusted.skills].flatMap((names, index) =>
    names.length === 0 ? [] : [`${files[index]!.path} is not trusted; left out: ${names.join(", ")}`],
  );
}
