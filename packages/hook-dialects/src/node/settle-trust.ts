import { HookError } from "@basis/hooks";
import type { Environment } from "@basis/hooks/node";
import { readTrust } from "@basis/hooks/trust";
import { inspectFile } from "./dialect-trust.ts";
import { isSettingsPlace, type ReadFile } from "./settings-files.ts";

/** A settings file, and whether its hooks run. */
export interface TrustedFile {
  readonly file: ReadFile;
  readonly runs: boolean;
  /** Why its code is not what was trusted; undefined when it is, or nobody vouched for it. */
  readonly problemOf: (signal: AbortSignal) => Promise<string | undefined>;
}

const NO_PROBLEM = (): Promise<undefined> => Promise.resolve(undefined);

/** How trust is settled. */
export interface TrustSettling {
  readonly workspace: string;
  readonly trust?: "refuse" | "skip" | "run" | undefined;
  readonly trustFile?: string | undefined;
  readonly hostEnv?: Environment | undefined;
  readonly report: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** As for native hooks: what differs from what was trusted refuses; what nobody trusted is refused, skipped or run. */
export async function settleTrust(file: ReadFile, options: TrustSettling): Promise<TrustedFile> {
  const { workspace, trust = "refuse", trustFile, hostEnv: env, report, signal } = options;
  const { path, hooks } = file;
  const place = { workspace, env };
  const found =
    trustFile === undefined ? undefined : await inspectFile(file, { ...place, trustFile, signal });
  if (found?.state === "trusted" && trustFile !== undefined) {
    const { digest } = found;
    const problemOf = async (signal: AbortSignal): Promise<string | undefined> => {
      const now = await inspectFile(file, { ...place, trustFile, signal });
      return now.digest === digest ? undefined : `${path} or a file that it names changed`;
    };
    return { file, runs: true, problemOf };
  }
  if (found?.state === "modified") {
    const changes = found.entries.flatMap(({ name, why }) =>
      why === undefined ? [] : [`hook '${name}': ${why}`],
    );
    throw modified({ path, workspace }, changes);
  }
  if (trust === "run" || hooks.length === 0) return { file, runs: true, problemOf: NO_PROBLEM };
  const names = hooks.map(({ name }) => name);
  if (trust === "skip") {
    report(`${path} is not trusted; its hooks do not run: ${names.join(", ")}`);
    return { file, runs: false, problemOf: NO_PROBLEM };
  }
  throw new HookError(
    "untrusted_workspace",
    `${path} is not trusted and its ${names.length} hook(s) would run programs; read it and what it names, then ` +
      `trustDialects; trust: "skip" leaves them out, trust: "run" runs them unseen`,
    { details: { path, workspace, names } },
  );
}

/** Settings that were trusted and are gone take their guards with them. @throws HookError `modified_workspace`. */
export async function refuseGone(
  read: readonly ReadFile[],
  { workspace, trustFile, signal }: Pick<TrustSettling, "workspace" | "trustFile" | "signal">,
): Promise<void> {
  if (trustFile === undefined) return;
  const trusted = await readTrust({ trustFile, signal });
  const gone = trusted
    .map((record) => record.workspace)
    .find((path) => isSettingsPlace(workspace, path) && read.every((file) => file.path !== path));
  if (gone !== undefined) throw modified({ path: gone, workspace }, ["it was trusted and is gone"]);
}

function modified(
  { path, workspace }: { readonly path: string; readonly workspace: string },
  changes: readonly string[],
): HookError {
  const message = `${path} is not what was trusted: ${changes.join("; ")}; read it, then trust it anew or revoke it`;
  return new HookError("modified_workspace", message, { details: { path, workspace, changes } });
}
