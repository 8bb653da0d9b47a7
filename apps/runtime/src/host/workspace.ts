import { realpathSync } from "node:fs";
import type { CallRecord, HookChain, Interceptor } from "@basis/hooks";
import { openHooks, type HookSpec, type TrustCandidate, type TrustMode } from "@basis/hooks/node";
import type { ContextFile } from "../config/context-files.ts";
import { loadContextFiles } from "../config/context-files.ts";
import { startStage, startTogether } from "../config/start-error.ts";
import type { Environment } from "../config/data-dir.ts";
import { systemPrompt } from "../agent/system-prompt.ts";
import { TrailRouter } from "../agent/trail-router.ts";
import { readTool, writeTool } from "../tools/file-tools.ts";
import { listTool } from "../tools/list-tool.ts";
import { baselineEnvironment } from "../tools/run-process.ts";
import { runTool, type CommandSetting } from "../tools/run-tool.ts";
import { searchTool } from "../tools/search-tool.ts";
import type { Tool } from "../tools/tool.ts";

/** How a workspace is opened. */
export interface WorkspaceOptions {
  readonly directory: string;
  readonly configDir: string;
  readonly env: Environment;
  /** What becomes of the workspace's own hooks; see `openHooks`. Default `refuse`. */
  readonly trust?: TrustMode | undefined;
  readonly trustFile?: string | undefined;
  readonly isTrusted?: ((candidate: TrustCandidate) => boolean | Promise<boolean>) | undefined;
  /** Awaited before the hooks are opened: records what the user said yes to. */
  readonly recordTrust?: ((workspace: string) => Promise<unknown>) | undefined;
  readonly interceptors?: readonly Interceptor[] | undefined;
  readonly hooks?: readonly HookSpec[] | undefined;
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
  /** Every tool but `spawn`, which belongs to an agent. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly commands: CommandSetting | undefined;
}

/** Reads the workspace's files and opens its guards. Everything invalid refuses, naming file and line. */
export async function openWorkspaceFacts(options: WorkspaceOptions): Promise<WorkspaceFacts> {
  const root = realpathSync(options.directory);
  const commands = options.allowCommands ? { root, env: baselineEnvironment(options.env, root) } : undefined;
  const tools = builtinTools(root, commands);
  const trail = new TrailRouter();
  const [contextFiles, hooks] = await startTogether(
    startStage("workspace", () => loadContextFiles(root, options.configDir)),
    openGuards(options, { root, tools, onTrail: trail.route }),
  );
  return { root, contextFiles, system: systemPrompt(contextFiles), hooks, trail, tools, commands };
}

async function openGuards(
  options: WorkspaceOptions,
  facts: { root: string; tools: ReadonlyMap<string, Tool>; onTrail: (record: CallRecord) => void },
): Promise<HookChain> {
  await options.recordTrust?.(facts.root);
  return openHooks({
    workspace: facts.root,
    globalDir: options.configDir,
    interceptors: options.interceptors,
    specs: options.hooks,
    trust: options.trust,
    trustFile: options.trustFile,
    isTrusted: options.isTrusted,
    knownTools: [...facts.tools.keys(), "run", "spawn"],
    report: (message) => options.report(message),
    onTrail: facts.onTrail,
    env: options.env,
    signal: options.signal,
  });
}

function builtinTools(root: string, commands: CommandSetting | undefined): ReadonlyMap<string, Tool> {
  const tools = [readTool(root), listTool(root), searchTool(root), writeTool(root)];
  if (commands) tools.push(runTool(commands));
  return new Map(tools.map((tool) => [tool.name, tool]));
}
