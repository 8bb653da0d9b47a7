import { join } from "node:path";
import { configDirectory, dataDirectory, type Environment } from "../config/data-dir.ts";
import { startError } from "../config/start-error.ts";
import { openWorkspaceFacts, type WorkspaceFacts } from "../host/workspace.ts";
import { defaultModelName } from "../providers/default-model.ts";
import { defineCommand, type Command, type CommandContext } from "./command.ts";
import { exitCode } from "./exit-code.ts";
import { flag } from "./option.ts";
import { answer, columns } from "./output-format.ts";

/** `basis inspect`. */
export const inspectCommand: Command = defineCommand({
  name: "inspect",
  about: "Show what a run in this folder would use: model, tools, guards, context files.",
  more: [
    "Nothing is started, written or asked of a model. Hooks that are not trusted are left out and named. Invalid files refuse as they would refuse a run.",
  ],
  options: { json: flag("as JSON") },
  examples: [["basis inspect", "before the first run in a folder"]],
  async run({ options }, context) {
    const notes: string[] = [];
    const facts = await openUntrusted(context, notes);
    const view = viewOf(facts, context.env, notes);
    await facts.hooks.close();
    answer(options.json ? JSON.stringify(view, null, 2) : inWords(view));
    return exitCode.ok;
  },
});

/** Opens the workspace without running or recording anything. */
async function openUntrusted(
  { env, directory, interrupt }: CommandContext,
  notes: string[],
): Promise<WorkspaceFacts> {
  const trustFile = join(dataDirectory(env), "trust.json");
  try {
    return await openWorkspaceFacts({
      directory,
      configDir: configDirectory(env),
      env,
      trust: "skip",
      trustFile,
      report: (text) => notes.push(text),
      signal: interrupt.signal,
    });
  } catch (error) {
    throw startError("workspace", error);
  }
}

function viewOf(
  { root, contextFiles, hooks, tools }: WorkspaceFacts,
  env: Environment,
  notes: readonly string[],
) {
  return {
    workspace: root,
    model: modelOf(env),
    data_directory: dataDirectory(env),
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
    tools: [...tools.values()].map(({ name, level, effect, source }) => ({ name, level, effect, source })),
  };
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
  const tools = view.tools.map(({ name, level, source }) => [`  ${name}`, level, source]);
  return [
    `workspace  ${view.workspace}`,
    `model      ${view.model.name ?? "none"} (${view.model.from})`,
    `data       ${view.data_directory}`,
    `config     ${view.config_directory}`,
    `context    ${view.context_files.map((file) => file.path).join(", ") || "no AGENTS.md"}`,
    guards.length === 0 ? "guards     none" : `guards, in the order of asking\n${columns(guards)}`,
    ...view.notes.map((note) => `note       ${note}`),
    `tools, by what they may do\n${columns(tools)}`,
    "  spawn: delegates; asked about. run: programs; only with --allow-run",
  ].join("\n");
}
