import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { HookError } from "../hook-error.ts";
import type { Reporter } from "../hook-report.ts";
import { comparePins } from "../trust/compare-pins.ts";
import { digestOfSet, pinEntries, type PinnedEntry } from "../trust/pin-entries.ts";
import { readRecords } from "../trust/trust-file.ts";
import { modifiedWorkspace, unpinnedReasons } from "../trust/trust-workspace.ts";
import type { Environment } from "../process/child-environment.ts";
import type { HookSettings } from "./hook-spec.ts";

/** What happens to a workspace's hooks that nobody has trusted. */
export type TrustMode = "refuse" | "skip" | "run";

/** A workspace's hooks, as a host is asked whether they are trusted. */
export interface TrustCandidate {
  /** The workspace's real path. */
  readonly workspace: string;
  readonly path: string;
  /** Over the ordered entries with every field, and the bytes of the code that can be pinned; as `inspectTrust` gives it. */
  readonly digest: string;
  /** Of each entry whose code cannot be pinned, why. */
  readonly unpinned: readonly string[];
}

/** How trust is settled. */
export interface TrustOptions {
  readonly trust: TrustMode;
  readonly trustFile: string | undefined;
  readonly isTrusted: ((candidate: TrustCandidate) => boolean | Promise<boolean>) | undefined;
  readonly env: Environment;
  readonly report: Reporter;
  readonly signal: AbortSignal | undefined;
}

/** A workspace's own hooks, if any were found. */
export interface FoundHooks {
  readonly workspace: string;
  readonly path: string;
  readonly hooks: readonly HookSettings[];
}

/** The hooks that may run. */
export interface TrustedHooks {
  readonly hooks: readonly HookSettings[];
  /** Present when somebody vouched for them: what runs is then exactly this. */
  readonly pins: PinnedSet | undefined;
}

/** Pinned entries, and where their private copies go. */
export interface PinnedSet {
  readonly digest: string;
  readonly entries: readonly PinnedEntry[];
  readonly codeRoot: string;
}

/**
 * The hooks of a workspace that may run. They are a repository's code: what differs from what was trusted refuses in
 * every mode; what nobody has trusted is refused, left out with a report, or run.
 *
 * @throws HookError `modified_workspace`, `untrusted_workspace`, `invalid_trust_file`.
 */
export async function trustedHooks(found: FoundHooks, options: TrustOptions): Promise<TrustedHooks> {
  const { workspace, path, hooks } = found;
  const { trust, trustFile, env, signal } = options;
  const records = trustFile === undefined ? [] : await readRecords({ trustFile, workspace, signal });
  const trusted = records.find((record) => record.workspace === workspace)?.entries;
  if (trusted === undefined && (hooks.length === 0 || trust === "run")) return { hooks, pins: undefined };

  const entries = await pinEntries(hooks, { workspace, env, signal });
  const digest = digestOfSet(entries.map(({ pin }) => pin));
  const codeRoot = trustFile === undefined ? tmpdir() : join(dirname(trustFile), "hook-code");
  const pinned: TrustedHooks = { hooks, pins: { digest, entries, codeRoot } };
  if (trusted !== undefined) {
    const compared = comparePins(
      trusted,
      entries.map(({ pin }) => pin),
    );
    if (compared.state === "trusted") return pinned;
    const changes = compared.entries.flatMap(({ name, why }) =>
      why === undefined ? [] : [`hook '${name}': ${why}`],
    );
    throw modifiedWorkspace({ workspace, path }, changes);
  }
  const unpinned = unpinnedReasons(entries.map(({ pin }) => pin));
  if ((await options.isTrusted?.({ workspace, path, digest, unpinned })) === true) return pinned;
  return withoutTrust(found, options);
}

function withoutTrust({ workspace, path, hooks }: FoundHooks, options: TrustOptions): TrustedHooks {
  const names = hooks.map(({ name }) => name);
  if (options.trust === "skip") {
    const listed = names.map((name) => `'${name}'`).join(", ");
    options.report(`${path} is not trusted; its hooks do not run: ${listed}`, { kind: "skipped", path });
    return { hooks: [], pins: undefined };
  }
  throw new HookError(
    "untrusted_workspace",
    `${path} is not trusted and its ${names.length} hook(s) would run programs of the repository; ` +
      `read the file and what it names, then trust the workspace (trustWorkspace of @basis/hooks/trust); ` +
      `trust: "skip" leaves its hooks out, trust: "run" runs them unseen`,
    { details: { path, workspace, names } },
  );
}
