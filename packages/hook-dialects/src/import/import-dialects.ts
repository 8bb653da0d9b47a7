import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isJsonObject, parseStrict, type JsonValue } from "@basis/core";
import type { HookSpec } from "@basis/hooks/node";
import type { DialectHook, DialectLevel } from "../bridge/dialect.ts";
import { RUNTIME_TOOLS } from "../bridge/tool-alias.ts";
import { DialectError } from "../dialect-error.ts";
import type { LeftOut } from "../settings/entry.ts";
import type { ImportedHooks } from "../kit/ask.ts";
import { filesNamed } from "../node/dialect-trust.ts";
import { realWorkspace } from "../node/real-workspace.ts";
import { readSettingsFiles, type SettingsFile } from "../node/settings-files.ts";

/** What is imported, and where to. */
export interface ImportDialectsOptions {
  readonly workspace: string;
  /** Default: those that the workspace has. */
  readonly files?: readonly SettingsFile[] | undefined;
  readonly leaveOut?: readonly string[] | undefined;
  /** Default `hardened`. */
  readonly level?: DialectLevel | undefined;
  /** How the host's tools are shown to the hooks. Default `RUNTIME_TOOLS`. */
  readonly tools?: ImportedHooks["tools"] | undefined;
}

/** What was written. */
export interface DialectImport {
  /** Names of the entries now in `.basis/hooks.json`. */
  readonly names: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

const PLACE = ".basis/hook-dialects";

/**
 * Writes the hooks of other tools as native ones: an entry each in `.basis/hooks.json`, beside those that it has, and
 * what answers for them in `.basis/hook-dialects`, which trust pins with the files that their commands name.
 * Entries of an earlier import are replaced.
 *
 * @throws DialectError as `openDialects`, and `invalid_file` when the hooks.json there cannot be read.
 */
export async function importDialects(options: ImportDialectsOptions): Promise<DialectImport> {
  const { level = "hardened", tools = RUNTIME_TOOLS } = options;
  const workspace = await realWorkspace(options.workspace);
  const read = await readSettingsFiles({ ...options, workspace });
  const hooks = read.flatMap(({ dialect, hooks }) => hooks.map((hook) => ({ ...hook, dialect })));
  const settingsPath = join(workspace, ".basis/hooks.json");
  const others = await otherEntries(settingsPath);
  const kit = await writeKit(join(workspace, PLACE), { level, tools, hooks });
  const specs = hooks.map((hook, index) => specOf(hook, { index, level, kit, workspace }));
  const document = { schema: 1, hooks: [...others, ...specs] };
  await writeFile(settingsPath, `${JSON.stringify(document, null, 2)}\n`);
  return { names: specs.map(({ name }) => name), leftOut: read.flatMap(({ leftOut }) => leftOut) };
}

function specOf(
  hook: DialectHook,
  {
    index,
    level,
    kit,
    workspace,
  }: { index: number; level: DialectLevel; kit: readonly string[]; workspace: string },
): HookSpec {
  const fails = hook.onFailure ?? (level === "faithful" ? "allow" : "deny");
  return {
    name: hook.name,
    command: ["node", `${PLACE}/kit/ask.js`, String(index)],
    event: hook.moment,
    timeout_ms: hook.timeoutMs,
    on_failure: fails,
    files: [...kit, ...filesNamed(hook.command, workspace)],
  };
}

/** The entries that no import wrote. */
async function otherEntries(path: string): Promise<readonly JsonValue[]> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    // Only what is not there may be written over.
    if (error.code === "ENOENT") return undefined;
    throw new DialectError("invalid_file", `${path}: it cannot be read (${error.code})`, {
      details: { path, pointer: "" },
      cause: error,
    });
  });
  if (text === undefined) return [];
  const parsed = parseStrict(text);
  const list = parsed.ok && isJsonObject(parsed.value) ? parsed.value["hooks"] : undefined;
  if (Array.isArray(list)) return (list as readonly JsonValue[]).filter((entry) => !isImported(entry));
  throw new DialectError("invalid_file", `${path}: it is no hooks.json to write beside`, {
    details: { path, pointer: "/hooks" },
  });
}

function isImported(entry: JsonValue): boolean {
  const command = isJsonObject(entry) ? entry["command"] : undefined;
  return Array.isArray(command) && command[1] === `${PLACE}/kit/ask.js`;
}

/** Copies what answers, and writes what it answers for. @returns the files, from the workspace. */
async function writeKit(target: string, hooks: ImportedHooks): Promise<readonly string[]> {
  const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
  const bridge = (await readdir(join(dist, "bridge"))).filter((name) => name.endsWith(".js")).toSorted();
  const files = [...bridge.map((name) => `bridge/${name}`), "kit/ask.js"];
  for (const file of files) {
    const text = await readFile(join(dist, file), "utf8");
    await mkdir(dirname(join(target, file)), { recursive: true });
    await writeFile(join(target, file), text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n"));
  }
  await writeFile(join(target, "package.json"), '{ "type": "module" }\n');
  await writeFile(join(target, "hooks.json"), `${JSON.stringify(hooks, null, 2)}\n`);
  return [...files, "package.json", "hooks.json"].map((file) => `${PLACE}/${file}`);
}
