import { realpathSync } from "node:fs";
import { configDirectory, dataDirectory } from "../config/data-dir.ts";
import { startStage } from "../config/start-error.ts";
import { workspaceTrust } from "../config/workspace-trust.ts";
import { openWorkspaceFacts, type WorkspaceFacts } from "../host/workspace.ts";
import { defaultModelName } from "../providers/default-model.ts";
import { command, type Command } from "./command.ts";
import { answer, columns, progress } from "./output-format.ts";

/** `basis inspect`. */
export const inspectCommand: Command = command({
  meta: {
    name: "basis inspect",
    description: "Show what a run in this folder would use: model, tools, guards, context.",
  },
  args: { json: { type: "boolean", description: "As JSON" } },
  run: async ({ args }) => {
    const facts = await inspectWorkspace();
    const view = viewOf(facts);
    await facts.hooks.close();
    answer(args["json"] === true ? JSON.stringify(view, null, 2) : inWords(view));
  },
});

function inspectWorkspace(): Promise<WorkspaceFacts> {
  const { env } = process;
  const trust = workspaceTrust({ dataDir: dataDirectory(env), trustWorkspace: false, ephemeral: true });
  return startStage("workspace", () =>
    openWorkspaceFacts({
      directory: realpathSync(process.cwd()),
      configDir: configDirectory(env),
      env,
      trust: "skip",
      isTrusted: trust.isTrusted,
      report: (text) => progress(text),
    }),
  );
}

function viewOf({ root, contextFiles, hooks, tools }: WorkspaceFacts) {
  const { env } = process;
  const from = env["BASIS_MODEL"] ? "BASIS_MODEL" : "the provider whose key is set";
  return {
    workspace: root,
    model: { name: env["BASIS_MODEL"] ?? defaultModelName(env) ?? null, from },
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
    tools: [...tools.values()].map(({ name, level, effect, source }) => ({ name, level, effect, source })),
  };
}

function inWords(view: ReturnType<typeof viewOf>): string {
  const guards = view.guards.map((guard, index) => [
    `  ${index + 1}.`,
    guard.who,
    guard.rank,
    guard.events.join(","),
    [guard.tools].flat().join(","),
  ]);
  return [
    `workspace  ${view.workspace}`,
    `model      ${view.model.name ?? "none: set a provider's key or BASIS_MODEL"} (${view.model.from})`,
    `data       ${view.data_directory}`,
    `config     ${view.config_directory}`,
    `context    ${view.context_files.map((file) => file.path).join(", ") || "no AGENTS.md"}`,
    guards.length === 0 ? "guards     none" : `guards, in the order of asking\n${columns(guards)}`,
    `tools\n${columns(view.tools.map((tool) => [`  ${tool.name}`, tool.level, tool.source]))}`,
  ].join("\n");
}
