import { realpath } from "node:fs/promises";
import { frozenCopy } from "../frozen-json.ts";
import { HookError } from "../hook-error.ts";
import type { Environment } from "../process/child-environment.ts";
import { readSpecs, type HookSettings, type HookSpec } from "../node/hook-spec.ts";
import { readHooksFile } from "../node/hooks-file.ts";
import { realWorkspace, workspaceFileOf } from "../node/workspace-path.ts";
import { comparePins } from "./compare-pins.ts";
import { digestOfSet, pinEntries } from "./pin-entries.ts";
import { readRecords, updateRecords } from "./trust-file.ts";
import type { EntryPin, TrustRecord, WorkspaceTrustReport } from "./trust-record.ts";

/** A workspace and the file that keeps a user's trust. */
export interface WorkspaceTrustOptions {
  /** An absolute path; links are resolved, so that every path to a workspace is one. */
  readonly workspace: string;
  /** An absolute path outside the workspace. The host names it, one for each user. */
  readonly trustFile: string;
  /** Entries of another file than the workspace's hooks.json. They have a record of their own, under that file's path. */
  readonly source?: TrustSource | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Hooks that a file of another format amounts to. */
export interface TrustSource {
  /** The file, absolute. */
  readonly path: string;
  /** Every effective field of the file's entries must show in these. */
  readonly specs: readonly HookSpec[];
}

/** What pinning needs beside. */
export interface InspectTrustOptions extends WorkspaceTrustOptions {
  /** The host's variables, by whose PATH programs are found. Default `process.env`. */
  readonly env?: Environment | undefined;
}

/** What a user says yes to. */
export interface TrustWorkspaceOptions extends InspectTrustOptions {
  /** Trusts entries whose code cannot be pinned as well. Default false. */
  readonly allowUnpinned?: boolean | undefined;
  /** The digest that was shown to the user: anything else refuses. */
  readonly digest?: string | undefined;
}

/** Every record of a trust file, or those of one workspace. @throws HookError `invalid_trust_file`. */
export async function readTrust(options: {
  readonly trustFile: string;
  readonly workspace?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}): Promise<readonly TrustRecord[]> {
  const { trustFile, workspace, signal } = options;
  if (workspace === undefined) return readRecords({ trustFile, signal });
  const real = await realOrGiven(workspace);
  const records = await readRecords({ trustFile, workspace: real, signal });
  return records.filter((record) => record.workspace === real);
}

/**
 * Compares a workspace's hooks, as they are now, with what the user trusted. Runs nothing.
 *
 * @throws HookError `invalid_trust_file`, `invalid_workspace`, and those of a hooks.json that is wrong.
 */
export async function inspectTrust(options: InspectTrustOptions): Promise<WorkspaceTrustReport> {
  const { workspace, path, key, pins } = await pinsOf(options);
  const { trustFile, signal } = options;
  const records = await readRecords({ trustFile, workspace, signal });
  const trusted = records.find((record) => record.workspace === key)?.entries;
  return { workspace, path, digest: digestOfSet(pins), ...comparePins(trusted, pins) };
}

/**
 * Records that the user trusts the workspace's hooks as they are now; a workspace without hooks is forgotten.
 *
 * @throws HookError `unpinned_code` unless `allowUnpinned`, `unreadable_file` for a file that would be pinned,
 *   `modified_workspace` when `digest` is given and is another, and those of `inspectTrust`.
 */
export async function trustWorkspace(options: TrustWorkspaceOptions): Promise<WorkspaceTrustReport> {
  const { trustFile, signal, allowUnpinned = false } = options;
  const { workspace, path, key, pins } = await pinsOf(options);
  const digest = digestOfSet(pins);
  if (options.digest !== undefined && options.digest !== digest)
    throw modifiedWorkspace({ workspace, path }, ["it changed after it was shown"]);
  refuseUnreadable(pins, workspace);
  if (!allowUnpinned) refuseUnpinned(pins, { workspace, path });
  await updateRecords({ trustFile, workspace, signal }, (records) => {
    const others = records.filter((record) => record.workspace !== key);
    return pins.length === 0 ? others : [...others, { workspace: key, entries: pins }];
  });
  return { workspace, path, digest, ...comparePins(pins, pins) };
}

/** Forgets a workspace; answers whether it was known. @throws HookError `invalid_trust_file`. */
export async function revokeTrust(options: WorkspaceTrustOptions): Promise<boolean> {
  const { trustFile, signal } = options;
  const workspace = await realOrGiven(options.workspace);
  const key = options.source?.path ?? workspace;
  let known = false;
  await updateRecords({ trustFile, workspace, signal }, (records) => {
    known = records.some((record) => record.workspace === key);
    return records.filter((record) => record.workspace !== key);
  });
  return known;
}

/** The refusal of a workspace that was trusted and differs now. */
export function modifiedWorkspace(
  where: { readonly workspace: string; readonly path: string },
  changes: readonly string[],
): HookError {
  const { workspace, path } = where;
  return new HookError(
    "modified_workspace",
    `${path} is not what was trusted: ${changes.join("; ")}; read it and what it names, then trust the workspace anew`,
    { details: { path, workspace, changes } },
  );
}

async function pinsOf(options: InspectTrustOptions): Promise<{
  readonly workspace: string;
  readonly path: string;
  /** Under which its record stands. */
  readonly key: string;
  readonly pins: readonly EntryPin[];
}> {
  const { env = process.env, signal, source } = options;
  const workspace = await realWorkspace(options.workspace, signal);
  const path = source?.path ?? workspaceFileOf(workspace);
  const hooks =
    source === undefined ? ((await readHooksFile(path, signal))?.hooks ?? []) : sourceHooks(source);
  const pinned = await pinEntries(hooks, { workspace, env, signal });
  return { workspace, path, key: source?.path ?? workspace, pins: pinned.map(({ pin }) => pin) };
}

/** @throws SpecProblem for specs that a hooks.json could not hold. */
function sourceHooks({ specs }: TrustSource): readonly HookSettings[] {
  return readSpecs(frozenCopy(specs), "/specs");
}

function refuseUnreadable(pins: readonly EntryPin[], workspace: string): void {
  for (const { name, files } of pins) {
    const missing = files.find(({ digest }) => digest === null);
    if (missing === undefined) continue;
    throw new HookError(
      "unreadable_file",
      `hook '${name}' of ${workspace} names ${missing.path}, which cannot be read and so not be trusted`,
      { details: { path: missing.path } },
    );
  }
}

function refuseUnpinned(
  pins: readonly EntryPin[],
  where: { readonly workspace: string; readonly path: string },
): void {
  const unpinned = unpinnedReasons(pins);
  if (unpinned.length === 0) return;
  throw new HookError(
    "unpinned_code",
    `${where.path} has code that cannot be pinned, so that it may change unnoticed: ${unpinned.join("; ")}; ` +
      `name a program of the system and a script in a file, or confirm it with allowUnpinned`,
    { details: { ...where, unpinned } },
  );
}

/** Of each entry whose code cannot be pinned, why. */
export function unpinnedReasons(pins: readonly EntryPin[]): readonly string[] {
  return pins
    .filter(({ unpinned }) => unpinned.length > 0)
    .map(({ name, unpinned }) => `hook '${name}': ${unpinned.join(", ")}`);
}

/** A workspace that is gone can still be looked up and forgotten. */
async function realOrGiven(workspace: string): Promise<string> {
  return realpath(workspace).catch(() => workspace);
}
