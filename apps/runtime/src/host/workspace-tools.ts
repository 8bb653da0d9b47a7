import { declaredTool, pinTool, type AskedTool } from "../declared/declared-tool.ts";
import { readToolsFile, TOOLS_FILE, type ToolsFile } from "../declared/tools-file.ts";
import type { Grant, GrantPlace } from "../config/grant.ts";
import { startTogether } from "../config/start-error.ts";
import { settleGrants, type AskedGrants, type GrantTrust } from "../config/workspace-grants.ts";
import { MCP_FILE, readMcpFile, type McpFile } from "../mcp/mcp-file.ts";
import { pinServer, type AskedServer } from "../mcp/server-request.ts";
import { reachedBy } from "../mcp/server-settings.ts";
import type { ServerStatus } from "../mcp/server-state.ts";
import type { ServerPool } from "../mcp/server-pool.ts";
import { heldServers, type ServerTools } from "../mcp/server-tools.ts";
import { join } from "node:path";
import type { AgentFile } from "@basis/child-policy/agents";
import type { Tool } from "../tools/tool.ts";
import type { Skill } from "../skills/load-skills.ts";
import { readAskedSkills, SKILLS_FOLDER, type AskedSkill } from "./workspace-skills.ts";
import { AGENTS_FOLDER, readAskedAgents, type AskedAgent } from "./workspace-agents.ts";

/** What a repository's files ask for: servers, tools and agents, pinned as they stand now. Nothing runs yet. */
export interface AskedTools {
  readonly servers: readonly AskedServer[];
  readonly declared: readonly AskedTool[];
  readonly agents: readonly AskedAgent[];
  readonly skills: readonly AskedSkill[];
  /** The same, file by file, as a user is asked. */
  readonly files: readonly [
    servers: AskedGrants,
    declared: AskedGrants,
    agents: AskedGrants,
    skills: AskedGrants,
  ];
}

/** What of it may run. */
export interface GrantedTools {
  readonly servers: readonly AskedServer[];
  readonly declared: readonly Tool[];
  readonly agents: readonly AgentFile[];
  readonly skills: readonly Skill[];
  /** All, as the user granted them. */
  readonly grants: readonly Grant[];
  /** Left out, since nobody has trusted them. */
  readonly untrusted: {
    readonly servers: readonly AskedServer[];
    readonly declared: readonly string[];
    readonly agents: readonly string[];
    readonly skills: readonly string[];
  };
}

/** Reads `.mcp.json`, `.basis/tools.json`, `.basis/agents` and `.basis/skills`. @throws StartError `workspace` */
export async function readAskedTools(place: GrantPlace): Promise<AskedTools> {
  const { workspace, env } = place;
  const found: readonly [
    McpFile | undefined,
    ToolsFile | undefined,
    readonly AskedAgent[],
    readonly AskedSkill[],
  ] = await startTogether(
    readMcpFile(workspace, env),
    readToolsFile(workspace, env),
    readAskedAgents(place),
    readAskedSkills(place),
  );
  const [mcp, tools, agents, skills] = found;
  const servers: AskedServer[] = [];
  for (const settings of mcp?.servers ?? []) servers.push(await pinServer(settings, place));
  const declared: AskedTool[] = [];
  for (const settings of tools?.tools ?? []) declared.push(await pinTool(settings, place));
  const asked = (each: readonly Pick<AskedServer, "pinned">[]): AskedGrants["asked"] =>
    each.map(({ pinned }) => pinned);
  return {
    servers,
    declared,
    agents,
    skills,
    files: [
      { path: join(workspace, MCP_FILE), kind: "mcp", asked: asked(servers) },
      { path: join(workspace, TOOLS_FILE), kind: "tool", asked: asked(declared) },
      { path: join(workspace, AGENTS_FOLDER), kind: "agent", asked: asked(agents) },
      { path: join(workspace, SKILLS_FOLDER), kind: "skill", asked: asked(skills) },
    ],
  };
}

/** Settles what of it the user has granted. @throws HookError of trust */
export async function settleAskedTools(
  asked: AskedTools,
  place: GrantPlace,
  how: GrantTrust,
): Promise<GrantedTools> {
  const [servers, declared, agents, skills] = await startTogether(
    settleGrants(asked.files[0], how),
    settleGrants(asked.files[1], how),
    settleGrants(asked.files[2], how),
    settleGrants(asked.files[3], how),
  );
  const all = [servers, declared, agents, skills];
  const verify = how.trust !== "run";
  const mayRun = ({ pinned }: Pick<AskedServer, "pinned">): boolean =>
    all.some(({ granted }) => granted.includes(pinned));
  return {
    servers: asked.servers.filter(mayRun),
    declared: asked.declared.filter(mayRun).map((each) => declaredTool(each, { ...place, verify })),
    agents: asked.agents.filter(mayRun).map(({ agent }) => agent),
    skills: asked.skills.filter(mayRun).map(({ skill }) => skill),
    grants: all.flatMap(({ granted }) => granted.map(({ grant }) => grant)),
    untrusted: {
      servers: asked.servers.filter((each) => !mayRun(each)),
      declared: declared.skipped.map(({ request }) => request.name),
      agents: agents.skipped.map(({ request }) => request.name),
      skills: skills.skipped.map(({ request }) => request.name),
    },
  };
}

/** How servers are started. */
export interface ServerStart {
  /** False: they are only named. */
  readonly start: boolean;
  /** Whether each start looks again that they are what was trusted. */
  readonly verify: boolean;
  /** Of the workspace, over all its states. */
  readonly pool?: ServerPool | undefined;
}

/** Starts the granted servers; the protocol's library is loaded for the first of them. */
export async function startServers(
  { servers, untrusted }: GrantedTools,
  place: GrantPlace,
  { start, verify, pool }: ServerStart,
): Promise<ServerTools> {
  if (servers.length === 0 || !start) {
    const idle = servers.map((each) => heldStatus(each, "idle"));
    return heldServers([...idle, ...untrusted.servers.map((each) => heldStatus(each, "untrusted"))]);
  }
  const { workspace: root, env, signal } = place;
  const { openServers } = await import("../mcp/mcp-servers.ts");
  return openServers(servers, { path: join(root, MCP_FILE), root, env, verify, signal, pool });
}

function heldStatus({ settings }: AskedServer, state: "idle" | "untrusted"): ServerStatus {
  return { server: settings.name, reachedBy: reachedBy(settings), state, tools: [] };
}
