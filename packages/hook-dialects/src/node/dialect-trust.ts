import { statSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { canonicalJson, type JsonObject } from "@basis/core";
import type { Environment, HookSpec } from "@basis/hooks/node";
import {
  inspectTrust,
  revokeTrust,
  trustWorkspace,
  type TrustSource,
  type WorkspaceTrustReport,
} from "@basis/hooks/trust";
import type { DialectHook } from "../bridge/dialect.ts";
import { readSettingsFiles, type ReadFile, type SettingsFile } from "./settings-files.ts";
import { realWorkspace } from "./real-workspace.ts";

/** Whose settings, and where a user's trust is kept. */
export interface DialectTrustOptions {
  readonly workspace: string;
  /** As for native hooks; the same file may hold both. */
  readonly trustFile: string;
  /** Default: those that the workspace has. */
  readonly files?: readonly SettingsFile[] | undefined;
  /** As in `openDialects`: what is left out is not trusted. */
  readonly leaveOut?: readonly string[] | undefined;
  /** The host's variables. Default `process.env`. */
  readonly env?: Environment | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a user says yes to. */
export interface TrustDialectsOptions extends DialectTrustOptions {
  /** A line for a shell cannot be pinned, only the files that it names: such entries need this. Default false. */
  readonly allowUnpinned?: boolean | undefined;
}

/**
 * Records that the user trusts the hooks of the settings files as they are now, one record a file.
 *
 * @throws DialectError, and HookError `unpinned_code`, `unreadable_file`, `invalid_trust_file`.
 */
export async function trustDialects(options: TrustDialectsOptions): Promise<readonly WorkspaceTrustReport[]> {
  return eachFile(options, (file, place) =>
    trustWorkspace({
      ...place,
      source: sourceOf(file, place.workspace),
      allowUnpinned: options.allowUnpinned,
    }),
  );
}

/** Compares the settings files as they are now with what the user trusted. Runs nothing. @throws as `trustDialects`. */
export async function inspectDialects(
  options: DialectTrustOptions,
): Promise<readonly WorkspaceTrustReport[]> {
  return eachFile(options, (file, place) => inspectFile(file, place));
}

/** Forgets the trust in the settings files given; answers how many were known. @throws HookError `invalid_trust_file`. */
export async function revokeDialects(
  options: Pick<DialectTrustOptions, "workspace" | "trustFile" | "signal"> & {
    readonly paths: readonly string[];
  },
): Promise<number> {
  const { trustFile, signal } = options;
  const workspace = await realWorkspace(options.workspace);
  let known = 0;
  for (const given of options.paths) {
    const source = { path: resolve(workspace, given), specs: [] };
    if (await revokeTrust({ workspace, trustFile, source, signal })) known += 1;
  }
  return known;
}

/** Where one file's trust is looked up. */
export interface TrustPlace {
  readonly workspace: string;
  readonly trustFile: string;
  readonly env?: Environment | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One file's hooks, as they were read, with the bytes of the code that they name as it is now. */
export async function inspectFile(file: ReadFile, place: TrustPlace): Promise<WorkspaceTrustReport> {
  return inspectTrust({ ...place, source: sourceOf(file, place.workspace) });
}

async function eachFile(
  options: DialectTrustOptions,
  act: (file: ReadFile, place: TrustPlace) => Promise<WorkspaceTrustReport>,
): Promise<readonly WorkspaceTrustReport[]> {
  const { trustFile, env, signal } = options;
  const workspace = await realWorkspace(options.workspace);
  const reports: WorkspaceTrustReport[] = [];
  for (const file of await readSettingsFiles({ ...options, workspace }))
    reports.push(await act(file, { workspace, trustFile, env, signal }));
  return reports;
}

/** The file's hooks as entries that trust can pin: the whole entry stands among the words of its command. */
function sourceOf({ path, hooks }: ReadFile, workspace: string): TrustSource {
  return { path, specs: hooks.map((hook) => specOf(hook, workspace)) };
}

function specOf(hook: DialectHook, workspace: string): HookSpec {
  const { name, command, moment, timeoutMs, onFailure = "deny" } = hook;
  const line = typeof command === "string" ? ["bash", "-c", command] : command;
  const fields = canonicalJson(JSON.parse(JSON.stringify(hook)) as JsonObject);
  return {
    name,
    command: [...line, fields],
    event: moment,
    timeout_ms: timeoutMs,
    on_failure: onFailure,
    files: filesNamed(command, workspace),
  };
}

/** Files of the workspace that a command names, however they are quoted and whichever variable stands before them. */
export function filesNamed(command: DialectHook["command"], workspace: string): readonly string[] {
  const text = typeof command === "string" ? command : command.join("\n");
  const words = text.replaceAll(/["'\\]/g, "").split(/[\s;&|()<>=]+/);
  const paths = words
    .map((word) => word.replace(/^\$\{?[A-Z_]+(?::-[^}]*)?\}?\//, ""))
    .map((word) => (isAbsolute(word) ? relative(workspace, word) : word))
    .filter((path) => path !== "" && !isAbsolute(path) && !path.split(/[/\\]/).includes(".."));
  return [...new Set(paths)].filter((path) => isFile(join(workspace, path))).toSorted();
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}
