import { readGlobalFile } from "../node/discover-hooks.ts";
import type { HookSettings } from "../node/hook-spec.ts";
import { readHooksFile, type HooksFile } from "../node/hooks-file.ts";
import { lineOfPointer } from "../node/json-lines.ts";
import { realWorkspace, workspaceFileOf } from "../node/workspace-path.ts";
import { comparePins } from "../trust/compare-pins.ts";
import { digestOfSet, pinEntries } from "../trust/pin-entries.ts";
import { readRecords } from "../trust/trust-file.ts";
import type { EntryPin, EntryTrust, TrustState } from "../trust/trust-record.ts";
import type { HookPlace } from "./hook-place.ts";

/** One hook of a chain, and where it comes from. */
export interface ListedHook {
  readonly rank: "global" | "workspace";
  readonly settings: HookSettings;
  readonly path: string;
  readonly line: number;
  /** `operator`: it needs nobody's trust. */
  readonly trust: TrustState | "operator";
  /** What differs from what was trusted. */
  readonly why: string | undefined;
}

/** A workspace's hooks in the order in which they are asked, the state of its own, and what pins them. */
export interface HookListing {
  /** Real path. */
  readonly workspace: string;
  /** The workspace's hooks.json, whether or not it is there. */
  readonly path: string;
  readonly hooks: readonly ListedHook[];
  /** Of the workspace's own hooks as a set. */
  readonly trust: TrustState;
  readonly digest: string;
  readonly isKnown: boolean;
  readonly pins: readonly EntryPin[];
  /** The entries in the file's order, then those that were trusted and are gone. */
  readonly entries: readonly EntryTrust[];
}

/**
 * Reads the files of a chain and compares the workspace's own with what was trusted. Runs nothing.
 *
 * @throws HookError as opening the hooks would, but for trust.
 */
export async function listHooks(place: HookPlace): Promise<HookListing> {
  const { env, signal, trustFile } = place;
  const workspace = await realWorkspace(place.workspace, signal);
  const path = workspaceFileOf(workspace);
  const global = place.withGlobal ? await readGlobalFile(workspace, place) : undefined;
  const found = await readHooksFile(path, signal);
  const own = found?.file.identity === global?.file.identity ? undefined : found;
  const pins = (await pinEntries(own?.hooks ?? [], { workspace, env, signal })).map(({ pin }) => pin);
  const records = await readRecords({ trustFile, workspace, signal });
  const trusted = records.find((record) => record.workspace === workspace)?.entries;
  const { state, entries } = comparePins(trusted, pins);
  const ofOperator = (): Pick<ListedHook, "trust" | "why"> => ({ trust: "operator", why: undefined });
  const ofWorkspace = (index: number): Pick<ListedHook, "trust" | "why"> => ({
    trust: entries[index]?.state ?? "untrusted",
    why: entries[index]?.why,
  });
  return {
    workspace,
    path,
    hooks: [...listed(global, "global", ofOperator), ...listed(own, "workspace", ofWorkspace)],
    trust: state,
    digest: digestOfSet(pins),
    isKnown: trusted !== undefined,
    pins,
    entries,
  };
}

function listed(
  found: HooksFile | undefined,
  rank: ListedHook["rank"],
  trustAt: (index: number) => Pick<ListedHook, "trust" | "why">,
): readonly ListedHook[] {
  if (found === undefined) return [];
  const { path, text } = found.file;
  return found.hooks.map((settings, index) => ({
    rank,
    settings,
    path,
    line: lineOfPointer(text, `/hooks/${index}`),
    ...trustAt(index),
  }));
}
