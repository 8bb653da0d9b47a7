import { isAbsolute, relative, resolve, sep } from "node:path";
import { digestJson, sha256, type JsonObject } from "@basis/core";
import { HookError } from "../hook-error.ts";
import { childEnvironment } from "../process/child-environment.ts";
import type { Environment } from "../process/child-environment.ts";
import type { HookSettings } from "../node/hook-spec.ts";
import { isInside } from "../process/path-inside.ts";
import { readRegularBytes } from "../node/regular-file.ts";
import { codeOf } from "./entry-code.ts";
import type { EntryPin, FilePin } from "./trust-record.ts";

/** Most bytes of one pinned file: 64 MiB. */
const MAX_PINNED_BYTES = 64 * 1024 * 1024;

/** An entry, its pin, and the very bytes that the pin is about. */
export interface PinnedEntry {
  readonly settings: HookSettings;
  readonly pin: EntryPin;
  /** As in `EntryCode`. */
  readonly programPath: string | undefined;
  /** The word of the command that names the code. */
  readonly codeIndex: number | undefined;
  /** By the path in the pin. */
  readonly bytes: ReadonlyMap<string, Uint8Array>;
}

/** Where entries run. */
export interface PinContext {
  /** A real path. */
  readonly workspace: string;
  /** The host's variables. */
  readonly env: Environment;
  readonly signal?: AbortSignal | undefined;
}

/** Pins every entry as it stands now, in order. What cannot be read has the digest null. */
export async function pinEntries(
  hooks: readonly HookSettings[],
  context: PinContext,
): Promise<readonly PinnedEntry[]> {
  const pinned: PinnedEntry[] = [];
  for (const settings of hooks) pinned.push(await pinEntry(settings, context));
  return pinned;
}

/** The digest of an ordered set of entries. */
export function digestOfSet(pins: readonly EntryPin[]): string {
  return digestJson(pins.map(({ digest }) => digest));
}

/** The digest of a file's bytes, or null when it cannot be read. */
export async function fileDigest(path: string, signal?: AbortSignal): Promise<string | null> {
  const bytes = await readPinned(path, signal);
  return bytes === undefined ? null : digestOf(bytes);
}

/** The path of a pinned file, from the way a pin spells it. */
export function pinnedPath(workspace: string, path: string): string {
  return resolve(workspace, path);
}

async function pinEntry(settings: HookSettings, context: PinContext): Promise<PinnedEntry> {
  const { workspace, signal } = context;
  const env = childEnvironment(context.env, { workspace, granted: settings.env });
  const { program, programPath, codeIndex, files: paths, unpinned } = codeOf(settings, { workspace, env });
  const bytes = new Map<string, Uint8Array>();
  const files: FilePin[] = [];
  for (const path of paths) {
    const name = spelled(workspace, path);
    const read = await readPinned(path, signal);
    if (read !== undefined) bytes.set(name, read);
    files.push({ path: name, digest: read === undefined ? null : digestOf(read) });
  }
  // The words of `unpinned` are left out, so that a better wording changes no digest.
  const facts = { name: settings.name, settings: formOf(settings), program, files };
  return { settings, pin: { ...facts, digest: digestJson(facts), unpinned }, programPath, codeIndex, bytes };
}

async function readPinned(path: string, signal?: AbortSignal): Promise<Uint8Array | undefined> {
  try {
    return await readRegularBytes(path, { maxBytes: MAX_PINNED_BYTES, signal });
  } catch (error) {
    if (error instanceof HookError) return undefined;
    throw error;
  }
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${sha256(bytes)}`;
}

function spelled(workspace: string, path: string): string {
  if (!isInside(workspace, path)) return path;
  const way = relative(workspace, path);
  return isAbsolute(way) ? way : way.split(sep).join("/");
}

/** The normalised form of an entry: every key of hooks.json, defaults filled in. */
function formOf(settings: HookSettings): JsonObject {
  const { name, command, tools, effect, input, event, mode, env, shadow, files } = settings;
  return {
    name,
    command: [...command],
    tools: tools === undefined ? null : [...tools],
    effect: effect === undefined ? null : [...effect],
    input: input === undefined ? null : { ...input },
    event,
    timeout_ms: settings.timeoutMs,
    on_failure: settings.onFailure,
    mode,
    env: [...env],
    shadow,
    files: [...files],
  };
}
