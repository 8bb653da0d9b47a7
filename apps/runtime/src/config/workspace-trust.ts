import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, parseStrict, type JsonValue } from "@basis/core";
import type { TrustCandidate, TrustMode } from "@basis/hooks/node";
import { StartError } from "./start-error.ts";

/** Where a user's yes is kept, and what this start says itself. */
export interface WorkspaceTrust {
  readonly dataDir: string;
  readonly trustWorkspace: boolean;
  /** Nothing is written for a run that is not kept. */
  readonly ephemeral: boolean;
}

interface TrustRecord {
  readonly workspace: string;
  readonly digest: string;
}

/**
 * Whether a workspace's own hooks may run: `--trust-workspace` says yes and records it for this very content;
 * without it an earlier yes counts as long as the file is the same.
 */
export function workspaceTrust(trust: WorkspaceTrust): {
  readonly trust: TrustMode;
  readonly isTrusted: (candidate: TrustCandidate) => boolean;
} {
  const path = join(trust.dataDir, "trust.json");
  return {
    trust: "refuse",
    isTrusted({ workspace, digest }) {
      const records = readRecords(path);
      if (records.some((record) => record.workspace === workspace && record.digest === digest)) return true;
      if (!trust.trustWorkspace) return false;
      const others = records.filter((record) => record.workspace !== workspace);
      if (!trust.ephemeral) writeRecords(path, [...others, { workspace, digest }]);
      return true;
    },
  };
}

function readRecords(path: string): readonly TrustRecord[] {
  if (!existsSync(path)) return [];
  const parsed = parseStrict(readFileSync(path, "utf8"));
  const list = parsed.ok && isJsonObject(parsed.value) ? parsed.value["workspaces"] : undefined;
  if (!Array.isArray(list) || !list.every(isRecord))
    throw new StartError("trust", [`${path} is not a list of trusted workspaces; delete it to start anew`]);
  return list as readonly unknown[] as readonly TrustRecord[];
}

function isRecord(value: JsonValue): boolean {
  return isJsonObject(value) && typeof value["workspace"] === "string" && typeof value["digest"] === "string";
}

function writeRecords(path: string, workspaces: readonly TrustRecord[]): void {
  const next = `${path}.${process.pid}.new`;
  writeFileSync(next, `${JSON.stringify({ schema: 1, workspaces }, null, 2)}\n`, { mode: 0o600 });
  renameSync(next, path);
}
