import { visibleText, type JsonObject } from "@basis/core";
import type { HookSettings } from "../node/hook-spec.ts";
import { jsonOption, type Command } from "./command.ts";
import { exitCode, type ExitCode } from "./exit-code.ts";
import { listHooks, type HookListing, type ListedHook } from "./hook-listing.ts";
import { placeOf, placeOptions } from "./hook-place.ts";
import { hookToWire } from "./explanation.ts";
import { definitions, jsonText, type Paint } from "./layout.ts";
import { commandLine, describeFilter, describeMode, shellWord } from "./settings-words.ts";

export const listCommand: Command<keyof typeof placeOptions | "json"> = {
  name: "list",
  about: "show a workspace's hooks in the order in which they are asked",
  more: [
    "The operator's hooks come first, then the workspace's; what a host adds in code comes before both. Nothing is run.",
  ],
  options: { ...placeOptions, json: jsonOption },
  examples: [["basis-hooks list", "this folder's hooks, with what each asks for and where it comes from"]],
  async run(args, context): Promise<ExitCode> {
    const listing = await listHooks(placeOf(args, context));
    context.print(
      args.has("json") ? jsonText(listingToWire(listing)) : renderListing(listing, context.paint),
    );
    return exitCode.ok;
  },
};

function listingToWire({ workspace, path, trust, digest, hooks, entries }: HookListing): JsonObject {
  return {
    workspace,
    workspace_file: path,
    trust,
    digest,
    hooks: hooks.map((hook, index) => ({
      ...hookToWire(index + 1, hook),
      trust: hook.trust,
      ...(hook.why !== undefined && { why: hook.why }),
      ...settingsToWire(hook.settings),
    })),
    gone: goneEntries(hooks, entries).map(({ name }) => name),
  };
}

/** The entries that were trusted and are no longer there. */
function goneEntries(hooks: readonly ListedHook[], entries: HookListing["entries"]): HookListing["entries"] {
  return entries.slice(hooks.filter(({ rank }) => rank === "workspace").length);
}

function settingsToWire(settings: HookSettings): JsonObject {
  const { command, tools, effect, input, event, mode, env, shadow, files } = settings;
  return {
    command,
    event,
    tools: tools ?? null,
    effect: effect ?? null,
    input: input ?? null,
    mode,
    timeout_ms: settings.timeoutMs,
    on_failure: settings.onFailure,
    shadow,
    env,
    files,
  };
}

function renderListing(listing: HookListing, paint: Paint): string {
  const { workspace, hooks, entries } = listing;
  const gone = goneEntries(hooks, entries);
  const parts = [
    `hooks of ${visibleText(workspace)}`,
    ...(hooks.length === 0 ? ["there are none"] : []),
    ...hooks.map((hook, index) => renderHook(hook, index + 1, paint)),
    ...gone.map(({ name }) => paint.bad(`hook '${visibleText(name)}' was trusted and is gone`)),
    ...advice(listing),
  ];
  return `${parts.join("\n\n")}\n`;
}

function advice({ trust, workspace, hooks }: HookListing): readonly string[] {
  if (trust === "trusted" || !hooks.some((hook) => hook.rank === "workspace")) return [];
  return [
    `The workspace's hooks are ${trust}: they do not run. Read them, then:\n  basis-hooks trust --workspace ${visibleText(shellWord(workspace))}`,
  ];
}

function renderHook(
  { rank, settings, path, line, trust, why }: ListedHook,
  at: number,
  paint: Paint,
): string {
  const state = trust === "operator" ? "" : `, ${trust === "trusted" ? paint.good(trust) : paint.bad(trust)}`;
  const { env, files } = settings;
  const rows: (readonly [string, string])[] = [
    ["asked", visibleText(describeFilter(settings))],
    ["runs", visibleText(commandLine(settings.command))],
    ["mode", describeMode(settings)],
    ...(env.length > 0 ? [["env", visibleText(env.join(", "))] as const] : []),
    ...(files.length > 0 ? [["files", visibleText(files.join(", "))] as const] : []),
    ["from", `${visibleText(path)}:${line}`],
    ...(why === undefined ? [] : [["trust", visibleText(why)] as const]),
  ];
  const head = `${at}. ${paint.strong(`hook '${visibleText(settings.name)}'`)}  ${rank}${state}`;
  return `${head}\n${definitions(rows, 3)}`;
}
