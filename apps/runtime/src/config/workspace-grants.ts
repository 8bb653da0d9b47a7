import { digestJson } from "@basis/core";
import { HookError } from "@basis/hooks";
import type { TrustCandidate, TrustMode } from "@basis/hooks/node";
import {
  grantChanges,
  inWords,
  pinGrant,
  type Grant,
  type GrantKind,
  type GrantPlace,
  type PinnedGrant,
} from "./grant.ts";
import { readGrants, writeGrants, type GrantsPlace } from "./grants-file.ts";

/** How a workspace's requests come to be granted; as for its hooks. */
export interface GrantTrust {
  readonly workspace: string;
  readonly trust?: TrustMode | undefined;
  readonly trustFile?: string | undefined;
  readonly isTrusted?: ((candidate: TrustCandidate) => boolean | Promise<boolean>) | undefined;
}

/** The requests of one file. */
export interface AskedGrants {
  readonly path: string;
  readonly kind: GrantKind;
  readonly asked: readonly PinnedGrant[];
}

/** What became of them. */
export interface SettledGrants {
  readonly granted: readonly PinnedGrant[];
  /** Left out, since nobody has trusted them. */
  readonly skipped: readonly PinnedGrant[];
}

/**
 * Whether the requests of a file are granted. What differs from what was granted refuses in every mode; what nobody
 * has granted is refused, left out, or granted unseen.
 *
 * @throws HookError `modified_workspace`, `untrusted_workspace`, `invalid_trust_file`
 */
export async function settleGrants(file: AskedGrants, how: GrantTrust): Promise<SettledGrants> {
  const { path, kind, asked } = file;
  const { workspace, trust = "refuse", trustFile, isTrusted } = how;
  const record = trustFile === undefined ? undefined : readGrants({ trustFile, workspace });
  const given = record?.filter((grant) => grant.kind === kind) ?? [];
  const now = asked.map(({ grant }) => grant);
  if (given.length > 0) {
    const changes = grantChanges(given, now);
    if (changes.length === 0) return { granted: asked, skipped: [] };
    throw modified({ workspace, path }, changes);
  }
  if (asked.length === 0 || trust === "run") return { granted: asked, skipped: [] };
  const unpinned = unpinnedReasons(asked);
  const digest = digestJson(now.map((grant) => grant.digest));
  if ((await isTrusted?.({ workspace, path, digest, unpinned })) === true)
    return { granted: asked, skipped: [] };
  if (trust === "skip") return { granted: [], skipped: asked };
  throw untrusted({ workspace, path }, asked);
}

/** Records that the user grants all that is asked for, in place of what was granted before. @throws HookError `invalid_trust_file` */
export function recordGrants(files: readonly AskedGrants[], place: GrantsPlace): void {
  writeGrants(
    place,
    files.flatMap(({ asked }) => asked.map(({ grant }) => grant)),
  );
}

/**
 * Refuses what nobody can say yes to: files that are not there, and code that cannot be pinned unless it was allowed.
 *
 * @throws HookError `unreadable_file`, `unpinned_code`
 */
export function refuseUntrustable(
  files: readonly AskedGrants[],
  { workspace, allowUnpinned }: { readonly workspace: string; readonly allowUnpinned: boolean },
): void {
  for (const { path, asked } of files) {
    for (const { grant } of asked) refuseUnreadable(grant);
    const unpinned = unpinnedReasons(asked);
    if (unpinned.length === 0 || allowUnpinned) continue;
    throw new HookError(
      "unpinned_code",
      `${path} has code that cannot be pinned, so that it may change unnoticed: ${unpinned.join("; ")}`,
      { details: { path, workspace, unpinned } },
    );
  }
}

function refuseUnreadable(grant: Grant): void {
  const missing = grant.files.find(({ digest }) => digest === null);
  if (missing === undefined) return;
  const why = `${inWords(grant)} names ${missing.path}, which cannot be read and so not be trusted`;
  throw new HookError("unreadable_file", why, { details: { path: missing.path } });
}

/** What differs from the grant by now, in words; undefined when nothing does. Looked at before each start. */
export async function grantProblem(pinned: PinnedGrant, place: GrantPlace): Promise<string | undefined> {
  const now = await pinGrant(pinned.request, place);
  const changes = grantChanges([pinned.grant], [now.grant]);
  return changes.length === 0 ? undefined : changes.join("; ");
}

function unpinnedReasons(asked: readonly PinnedGrant[]): readonly string[] {
  return asked
    .filter(({ grant }) => grant.unpinned.length > 0)
    .map(({ grant }) => `${inWords(grant)}: ${grant.unpinned.join(", ")}`);
}

function modified(
  where: { readonly workspace: string; readonly path: string },
  changes: readonly string[],
): HookError {
  return new HookError(
    "modified_workspace",
    `${where.path} is not what was trusted: ${changes.join("; ")}; read it and what it names, then trust the workspace anew`,
    { details: { ...where, changes } },
  );
}

function untrusted(
  where: { readonly workspace: string; readonly path: string },
  asked: readonly PinnedGrant[],
): HookError {
  const names = asked.map(({ request }) => request.name);
  return new HookError(
    "untrusted_workspace",
    `${where.path} is not trusted and would ${consequence(asked)}: ${names.join(", ")}`,
    { details: { ...where, names } },
  );
}

function consequence([first]: readonly PinnedGrant[]): string {
  return first?.grant.kind === "agent"
    ? "choose models and tools for delegated agents"
    : "start programs of this repository or open connections";
}
