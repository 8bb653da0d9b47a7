import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { readTrust } from "@basis/hooks/trust";
import type { Grant } from "./grant.ts";

/** Where a user's yes is kept. */
export interface TrustPlace {
  /** Its real path. */
  readonly workspace: string;
  readonly trustFile?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The real paths of all code that the user trusted: of the recorded hooks, and of what was granted. No tool of an agent
 * writes to them.
 */
export async function trustedFiles(
  { grants }: { readonly grants: readonly Grant[] },
  { workspace, trustFile, signal }: TrustPlace,
): Promise<ReadonlySet<string>> {
  const records = trustFile === undefined ? [] : await readTrust({ trustFile, workspace, signal });
  const entries = [...records.flatMap((record) => record.entries), ...grants];
  const paths = entries.flatMap(({ files }) => files.map(({ path }) => resolve(workspace, path)));
  return new Set(await Promise.all(paths.map((path) => realpath(path).catch(() => path))));
}
