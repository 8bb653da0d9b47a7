import { join } from "node:path";
import { HookError } from "@basis/hooks";
import type { TrustCandidate, TrustMode } from "@basis/hooks/node";
import { trustWorkspace } from "@basis/hooks/trust";
import type { Environment } from "./data-dir.ts";
import { recordGrants, refuseUntrustable, type AskedGrants } from "./workspace-grants.ts";

/** Where a user's yes is kept, and what this start says itself. */
export interface WorkspaceTrust {
  readonly dataDir: string;
  readonly env: Environment;
  readonly trustWorkspace: boolean;
  /** The yes is for code that cannot be pinned as well. */
  readonly trustUnpinned: boolean;
  /** Nothing is written for a run that is not kept. */
  readonly ephemeral: boolean;
  readonly signal: AbortSignal;
}

/** How a workspace's own hooks come to run. */
export interface TrustSettings {
  readonly trust: TrustMode;
  readonly trustFile?: string;
  /** Says yes for this start alone. */
  readonly isTrusted?: (candidate: TrustCandidate) => boolean;
  /** Records a yes, before the hooks are opened and anything is started. */
  readonly recordTrust?: (workspace: string, files: readonly AskedGrants[]) => Promise<unknown>;
}

/**
 * Whether a workspace's own hooks, servers and tools may run: `--trust-workspace` says yes and records the entries and
 * their code as they are now; without it an earlier yes counts as long as all of that is the same.
 */
export function workspaceTrust(start: WorkspaceTrust): TrustSettings {
  const { env, signal, trustUnpinned } = start;
  const trustFile = join(start.dataDir, "trust.json");
  if (!start.trustWorkspace) return { trust: "refuse", trustFile };
  if (start.ephemeral) {
    return { trust: "refuse", isTrusted: (candidate) => trustUnpinned || refuseUnpinned(candidate) };
  }
  const recordTrust: TrustSettings["recordTrust"] = async (workspace, files) => {
    refuseUntrustable(files, { workspace, allowUnpinned: trustUnpinned });
    await trustWorkspace({ workspace, trustFile, env, allowUnpinned: trustUnpinned, signal });
    recordGrants(files, { workspace, trustFile });
  };
  return { trust: "refuse", trustFile, recordTrust };
}

/** As recording it would. */
function refuseUnpinned({ path, workspace, unpinned }: TrustCandidate): true {
  if (unpinned.length === 0) return true;
  throw new HookError("unpinned_code", `${path} has code that cannot be pinned: ${unpinned.join("; ")}`, {
    details: { path, workspace, unpinned },
  });
}
