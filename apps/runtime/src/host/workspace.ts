import { realpathSync } from "node:fs";
import type { AgentFile } from "@basis/child-policy/agents";
import type { CallRecord, HookChain, Interceptor } from "@basis/hooks";
import { openHooks, type HookSpec, type TrustCandidate, type TrustMode } from "@basis/hooks/node";
import { loadContextFiles, type ContextFile } from "../config/context-files.ts";
import type { GrantPlace } from "../config/grant.ts";
import { joinRefusals, startStage, startTogether } from "../config/start-error.ts";
import type { Environment } from "../config/data-dir.ts";
import type { AskedGrants } from "../config/workspace-grants.ts";
import { systemPrompt } from "../agent/system-prompt.ts";
import { TrailRouter } from "../agent/trail-router.ts";
import { isTold, statusInWords } from "../mcp/server-state.ts";
import type { ServerTools } from "../mcp/server-tools.ts";
import { MCP_PREFIX } from "../mcp/tool-name.ts";
import { readTool, writeTool } from "../tools/file-tools.ts";
import { listTool } from "../tools/list-tool.ts";
import { baselineEnvironment } from "../tools/run-process.ts";
import { runTool, type CommandSetting } from "../tools/run-tool.ts";
import { searchTool } from "../tools/search-tool.ts";
import type { Tool } from "../tools/tool.ts";
import { loadSkills, type Skill } from "../skills/load-skills.ts";
import { SKILL_TOOL, skillTool } from "../skills/skill-tool.ts";
import { allSkills } from "./workspace-skills.ts";
import { addEnvironment } from "../secrets/environment-secrets.ts";
import { secrets } from "../secrets/secrets.ts";
import { trustedFiles } from "../config/trusted-files.ts";
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

/**
 * Reads the workspace's files, opens its guards and starts its servers. Everything invalid refuses, naming file and
 * line, before anything is started.
 */
export async function openWorkspaceFacts(options: WorkspaceOptions): Promise<WorkspaceFacts> {
  const { env, signal, trust, trustFile, isTrusted, report } = options;
  addEnvironment(secrets, env);
  const root = realpathSync(options.directory);
  const place: GrantPlace = { workspace: root, env, signal };
  const [contextFiles, asked, ownSkills] = await startTogether(
    startStage("workspace", () => loadContextFiles(root, options.configDir)),
    readAskedTools(place),
    loadSkills(options.configDir, "skills"),
  ).catch(async (error: unknown) => {
    throw joinRefusals([error, ...(await problemsOfHooks(options, root))]);
  });
  await options.recordTrust?.(root, asked.files);
  const commands = options.allowCommands ? { root, env: baselineEnvironment(env, root) } : undefined;
  const trail = new TrailRouter();
  const settling = settleAskedTools(asked, place, { workspace: root, trust, trustFile, isTrusted });
  const guards = openGuards(options, { root, asked, onTrail: trail.route });
  const [granted, hooks] = await bothOrNeither(settling, guards);
  try {
    const trusted = await trustedFiles(granted, { workspace: root, trustFile, signal });
    const skills = allSkills(ownSkills, granted.skills);
    const tools = workspaceTools(root, { commands, declared: granted.declared, trusted, skills });
    for (const text of untrustedInWords(asked, granted)) report(text);
    const servers = await startServers(granted, place, {
      start: options.startServers ?? true,
      verify: trust !== "run",
    });
    for (const status of servers.status().filter(isTold))
      if (status.state !== "ready") report(statusInWords(status));
    const close = async (): Promise<void> => {
      await Promise.all([servers.close(), hooks.close()]);
    };
    const system = systemPrompt({ contextFiles, skills });
    const { agents } = granted;
    return { root, contextFiles, system, hooks, trail, tools, servers, commands, agents, skills, close };
  } catch (error) {
    await hooks.close();
    throw error;
  }
}

/** What is wrong with the files of hooks, to be told beside what else is wrong; nothing of them is started. */
async function problemsOfHooks(
  { configDir: globalDir, env, signal }: WorkspaceOptions,
  workspace: string,
): Promise<readonly unknown[]> {
  const report = (): void => undefined;
  try {
    const read = await openHooks({
      workspace,
      globalDir,
      trust: "run",
      launcher: false,
      report,
      env,
      signal,
    });
    await read.close();
    return [];
  } catch (error) {
    return [error];
  }
}

/** Guards that were opened beside a refusal are closed again. */
async function bothOrNeither(
  settling: Promise<GrantedTools>,
  guards: Promise<HookChain>,
): Promise<[GrantedTools, HookChain]> {
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

async function openGuards(
  options: WorkspaceOptions,
  facts: { root: string; asked: AskedTools; onTrail: (record: CallRecord) => void },
): Promise<HookChain> {
  const declared = facts.asked.declared.map(({ settings }) => settings.name);
  return openHooks({
    workspace: facts.root,
    globalDir: options.configDir,
    interceptors: options.interceptors,
    specs: options.hooks,
    trust: options.trust,
    trustFile: options.trustFile,
    isTrusted: options.isTrusted,
    knownTools: [
      ...builtinTools(facts.root).map(({ name }) => name),
      "run",
      "spawn",
      SKILL_TOOL,
      ...declared,
    ],
    report: (message) => {
      // Which tools a server has is not known yet.
      if (!message.includes(`tool '${MCP_PREFIX}`)) options.report(message);
    },
    onTrail: facts.onTrail,
    env: options.env,
    signal: options.signal,
  });
}

function builtinTools(root: string, trusted?: ReadonlySet<string>): readonly Tool[] {
  return [readTool(root), listTool(root), searchTool(root), writeTool(root, trusted)];
}

interface ToolParts {
  readonly commands: CommandSetting | undefined;
  readonly declared: readonly Tool[];
  readonly trusted: ReadonlySet<string>;
  readonly skills: readonly Skill[];
}

function workspaceTools(root: string, parts: ToolParts): ReadonlyMap<string, Tool> {
  const { commands, declared, trusted, skills } = parts;
  const optional = [
    ...(commands ? [runTool(commands)] : []),
    ...(skills.length > 0 ? [skillTool(skills)] : []),
  ];
  const tools = [...builtinTools(root, trusted), ...optional, ...declared];
  return new Map(tools.map((tool) => [tool.name, tool]));
}

/** What was left out, and how that is changed. */
function untrustedInWords({ files }: AskedTools, { untrusted }: GrantedTools): readonly string[] {
  const servers = untrusted.servers.map(({ settings }) => settings.name);
  return [servers, untrusted.declared, untrusted.agents, untrusted.skills].flatMap((names, index) =>
    names.length === 0 ? [] : [`${files[index]!.path} is not trusted; left out: ${names.join(", ")}`],
  );
}
