import { readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "@basis/hooks/node";
import { DIALECT_NAMES } from "../bridge/dialects.ts";
import type { DialectName } from "../bridge/dialect.ts";
import { DialectError } from "../dialect-error.ts";
import {
  MAX_SETTINGS_BYTES,
  readDialectSettings,
  type DialectSettings,
} from "../settings/read-dialect-settings.ts";

/** A settings file to read. */
export interface SettingsFile {
  /** Absolute, or from the workspace. */
  readonly path: string;
  /** Default: by its path. */
  readonly dialect?: DialectName | undefined;
  /** The directory of the plugin that brings it. */
  readonly pluginRoot?: string | undefined;
}

/** A settings file that was read whole. */
export interface ReadFile extends DialectSettings {
  readonly pluginRoot: string | undefined;
}

/** Which files are read, and what of them may be missing. */
export interface SettingsFilesOptions {
  /** A real path. */
  readonly workspace: string;
  readonly files?: readonly SettingsFile[] | undefined;
  readonly leaveOut?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Where each dialect keeps a workspace's settings. A directory stands for its .json files. */
const PLACES: readonly (readonly [place: string, dialect: DialectName])[] = [
  [".claude/settings.json", "claude"],
  [".claude/settings.local.json", "claude"],
  [".gemini/settings.json", "gemini"],
  [".codex/hooks.json", "codex"],
  [".cursor/hooks.json", "cursor"],
  [".github/hooks", "copilot"],
  [".windsurf/hooks.json", "windsurf"],
];

/** By their end, paths that belong to a dialect. */
const PATHS: readonly (readonly [pattern: RegExp, dialect: DialectName])[] = [
  [/[/\\]\.claude[/\\][^/\\]+\.json$/, "claude"],
  [/[/\\]\.gemini[/\\][^/\\]+\.json$/, "gemini"],
  [/[/\\]\.codex[/\\][^/\\]+\.json$/, "codex"],
  [/[/\\]\.cursor[/\\][^/\\]+\.json$/, "cursor"],
  [/[/\\]\.(github|copilot)[/\\]hooks[/\\][^/\\]+\.json$/, "copilot"],
  [/[/\\]\.?windsurf[/\\]hooks\.json$/, "windsurf"],
  [/[/\\]hooks[/\\]hooks\.json$/, "claude"],
];

/** Reads the files named, or those that a workspace has. @throws DialectError, and HookError `unreadable_file`. */
export async function readSettingsFiles(options: SettingsFilesOptions): Promise<readonly ReadFile[]> {
  const { workspace, files } = options;
  const wanted = files ?? (await presentFiles(workspace));
  if (files === undefined) await refuseToml(workspace, options.signal);
  const read: ReadFile[] = [];
  for (const file of wanted) {
    const settings = await readOne(file, { ...options, mustBe: files !== undefined });
    if (settings !== undefined) read.push(settings);
  }
  return read;
}

async function readOne(
  file: SettingsFile,
  options: SettingsFilesOptions & { readonly mustBe: boolean },
): Promise<ReadFile | undefined> {
  const { workspace, leaveOut, signal, mustBe } = options;
  const path = resolve(workspace, file.path);
  const dialect = file.dialect ?? dialectOfPath(path);
  if (!DIALECT_NAMES.includes(dialect)) {
    const message = `there is no dialect '${dialect}'; there are ${DIALECT_NAMES.join(", ")}`;
    throw new DialectError("invalid_option", message, { details: { option: "dialect" } });
  }
  const found = await readRegularFile(path, { maxBytes: MAX_SETTINGS_BYTES, signal });
  if (found !== undefined)
    return { ...readDialectSettings(found.text, { dialect, path, leaveOut }), pluginRoot: file.pluginRoot };
  if (!mustBe) return undefined;
  throw new DialectError("invalid_file", `${path}: there is no such file`, {
    details: { path, pointer: "" },
  });
}

/** Codex takes hooks from its TOML as well, which is not read. @throws DialectError `invalid_file`. */
async function refuseToml(workspace: string, signal: AbortSignal | undefined): Promise<void> {
  const path = join(workspace, ".codex/config.toml");
  const found = await readRegularFile(path, { maxBytes: MAX_SETTINGS_BYTES, signal });
  if (found === undefined || !/^\s*(\[+\s*)?["']?hooks["']?\s*[\].=]/m.test(found.text)) return;
  const message = `${path}: hooks in TOML are not read; move them to .codex/hooks.json`;
  throw new DialectError("invalid_file", message, { details: { path, pointer: "/hooks" } });
}

function dialectOfPath(path: string): DialectName {
  const found = PATHS.find(([pattern]) => pattern.test(path));
  if (found !== undefined) return found[1];
  throw new DialectError("invalid_option", `${path} does not show whose settings it holds; say its dialect`, {
    details: { option: "dialect" },
  });
}

/** True for a path at which a workspace's settings are looked for. */
export function isSettingsPlace(workspace: string, path: string): boolean {
  return PLACES.some(([place]) => {
    const there = join(workspace, place);
    return there === path || (!place.endsWith(".json") && dirname(path) === there);
  });
}

/** @throws DialectError for a directory that is there and cannot be read: guards may be in it. */
async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    const message = `${path}: it cannot be read (${code})`;
    throw new DialectError("invalid_file", message, { details: { path, pointer: "" }, cause: error });
  }
}

async function presentFiles(workspace: string): Promise<readonly SettingsFile[]> {
  const lists = PLACES.map(async ([place, dialect]) => {
    const path = join(workspace, place);
    if (place.endsWith(".json")) return [{ path, dialect }];
    return (await namesIn(path))
      .filter((name) => name.endsWith(".json"))
      .toSorted()
      .map((name) => ({ path: join(path, name), dialect }));
  });
  return (await Promise.all(lists)).flat();
}
