import { join, relative } from "node:path";
import type { RosterForm } from "@basis/child-policy";
import { formatModelRef } from "@basis/core";
import { configDirectory, dataDirectory, type Environment } from "../../config/data-dir.ts";
import { databasePlace } from "../../config/store-place.ts";
import { hooksOfOtherTools } from "../../config/other-tools-hooks.ts";
import { startError } from "../../config/start-error.ts";
import { TOOLS_FILE } from "../../declared/tools-file.ts";
import { MCP_FILE } from "../../mcp/mcp-file.ts";
import { AGENTS_FOLDER } from "../../host/workspace-agents.ts";
import type { Tool } from "../../tools/tool.ts";
import { openWorkspaceFacts, type WorkspaceFacts } from "../../host/workspace.ts";
import { defaultModelName } from "../../providers/default-model.ts";
import { defineCommand, type Command, type CommandContext } from "../arguments/command.ts";
import { exitCode } from "../terminal/exit-code.ts";
import { flag } from "../arguments/option.ts";
import { short } from "../terminal/event-line.ts";
import { answer, columns } from "../terminal/output-format.ts";

/** `basis inspect`. */
export const inspectCommand: Command = defineCommand({
  name: "inspect",
  about: "Show what a run in this folder would use: model, tools, guards, context files.",
  more: [
    "Nothing is started, written or asked of a model, unless --servers starts the trusted MCP servers to list their tools. What is not trusted is left out and named. Invalid files refuse as they would refuse a run.",
  ],
  options: {
    json: flag("as JSON"),
    servers: flag("start the MCP servers that are trusted, list their tools, end them"),
  },
  examples: [["basis inspect", "before the first run in a folder"]],
  async run({ options }, context) {
    const notes: string[] = [];
    const facts = await openUntrusted(context, { notes, startServers: options.servers ?? false });
    notes.push(...hooksOfOtherTools(facts.root));
    const view = viewOf(facts, context.env, notes);
    await facts.close();
    answer(options.json ? JSON.stringify(view, null, 2) : inWords(view));
    return exitCode.ok;
  },
});

/** Opens the workspace without recording anything, and without running more than was asked for. */
async function openUntrusted(
  { env, directory, interrupt }: CommandContext,
  { notes, startServers }: { readonly notes: string[]; readonly startServers: boolean },
): Promise<WorkspaceFacts> {
  const trustFile = join(dataDirectory(env), "trust.json");
  try {
    return await openWorkspaceFacts({
      directory,
      configDir: configDirectory(env),
      env,
      trust: "skip",
      trustFile,
      startServers,
      report: (text) => notes.push(text),
      signal: interrupt.signal,
    });
  } catch (error) {
    throw startError("workspace", error);
  }
}

function viewOf(
  { root, contextFiles, hooks, tools, servers, agents, skills }: WorkspaceFacts,
  env: Environment,
  notes: readonly string[],
) {
  return {
    workspace: root,
    model: modelOf(env),
    data_directory: dataDirectory(env),
    store: databasePlace(env)?.name ?? null,
    config_directory: configDirectory(env),
    context_files: contextFiles.map(({ path, digest }) => ({ path, digest })),
    guards: hooks.participants.map(({ who, rank, events, tools: filter, onFailure }) => ({
      who,
      rank,
      events,
      tools: filter ?? "all",
      on_failure: onFailure,
    })),
    notes,
    agents: agents.map(({ name, file, description, spec }) => ({
      name,
      description: description.description ?? null,
      file: relative(root, file),
      model: spec.model ? formatModelRef(spec.model) : null,
      roster: spec.roster?.form() ?? null,
      system: spec.system === undefined ? "inherited" : "replaced",
    })),
    skills: skills.map(({ name, description, folder, files, allowedTools }) => ({
      name,
      description,
      folder,
      files: Object.keys(files),
      asks_for_tools: allowedTools,
    })),
    mcp_servers: servers.status().map(({ server, reachedBy, state, tools: offered, reason = null }) => ({
      server,
      from: MCP_FILE,
      reached_by: reachedBy,
      state,
      tools: offered,
      reason,
    })),
    tools: [
      ...[...tools.values()].map((tool) => ({ ...toolView(tool), claims: [] as readonly string[] })),
      ...[...servers.tools().values()].map((tool) => ({ ...toolView(tool), claims: tool.claims })),
    ],
  };
}

function toolView({ name, level, effect, source }: Tool) {
  const from = source === "builtin" ? null : source === "declared" ? TOOLS_FILE : MCP_FILE;
  return { name, level, effect: effect ?? "unknown", source, from };
}

function modelOf(env: Environment): { readonly name: string | null; readonly from: string } {
  const told = env["BASIS_MODEL"];
  if (told) return { name: told, from: "BASIS_MODEL" };
  const found = defaultModelName(env);
  return found === undefined
    ? { name: null, from: "no provider's key is set" }
    : { name: found, from: "the provider whose key is set" };
}

function inWords(view: ReturnType<typeof viewOf>): string {
  const guards = view.guards.map(({ who, rank, events, tools }, index) => [
    `  ${index + 1}.`,
    who,
    rank,
    events.join(","),
    [tools].flat().join(","),
  ]);
  const tools = view.tools.map(({ name, level, source, claims }) => [
    `  ${name}`,
    level,
    source,
    claims.length === 0 ? "" : `it says: ${claims.join(", ")}`,
  ]);
  const servers = view.mcp_servers.map(({ server, state, reached_by: by, reason }) => [
    `  ${server}`,
    state,
    short(by),
    reason === null ? "" : short(reason, 300),
  ]);
  return [
    `workspace  ${view.workspace}`,
    `model      ${view.model.name ?? "none"} (${view.model.from})`,
    `data       ${view.data_directory}`,
    ...(view.store === null ? [] : [`store      ${view.store}`]),
    `config     ${view.config_directory}`,
    `context    ${view.context_files.map((file) => file.path).join(", ") || "no AGENTS.md"}`,
    guards.length === 0 ? "guards     none" : `guards, in the order of asking\n${columns(guards)}`,
    ...(servers.length === 0 ? [] : [`MCP servers, from ${MCP_FILE}\n${columns(servers)}`]),
    ...(view.agents.length === 0
      ? []
      : [`agents, from ${AGENTS_FOLDER}\n${columns(agentRows(view.agents))}`]),
    ...(view.skills.length === 0 ? [] : [`skills\n${columns(skillRows(view.skills))}`]),
    ...view.notes.map((note) => `note       ${note}`),
    `tools, by what they may do\n${columns(tools)}`,
    "  spawn: delegates; asked about. run: programs; only with --allow-run",
  ].join("\n");
}

function skillRows(skills: ReturnType<typeof viewOf>["skills"]): readonly (readonly string[])[] {
  return skills.map(({ name, folder, description }) => [`  ${name}`, short(folder), short(description, 80)]);
}

function agentRows(agents: ReturnType<typeof viewOf>["agents"]): readonly (readonly string[])[] {
  return agents.map(({ name, model, roster, system, description }) => [
    `  ${name}`,
    model === null ? "its parent's model" : short(model),
    rosterInWords(roster),
    `system ${system}`,
    short(description ?? "", 80),
  ]);
}

function rosterInWords(roster: RosterForm | null): string {
  if (roster === null) return "its parent's tools";
  return "offered" in roster ? `only ${roster.offered.join(",")}` : `without ${roster.hidden.join(",")}`;
}
