import { sha256 } from "@basis/core";
import { HookError } from "../hook-error.ts";
import type { Reporter } from "../hook-report.ts";
import type { HooksFile } from "./hooks-file.ts";
import type { HookSettings } from "./hook-spec.ts";

/** What happens to a workspace's hooks that nobody has trusted. */
export type TrustMode = "refuse" | "skip" | "run";

/** A workspace's hooks.json, as a host is asked whether it is trusted. */
export interface TrustCandidate {
  /** The workspace's real path. */
  readonly workspace: string;
  readonly path: string;
  /** `sha256:` and the hash of the file's bytes. It does not cover the programs that the file names. */
  readonly digest: string;
}

/** How trust is settled. */
export interface TrustOptions {
  readonly trust: TrustMode;
  readonly isTrusted: ((candidate: TrustCandidate) => boolean | Promise<boolean>) | undefined;
  readonly report: Reporter;
}

/**
 * The hooks of a workspace's file that may run. The file is a repository's code: without trust it is refused, or
 * left out with a report.
 *
 * @throws HookError `untrusted_workspace`.
 */
export async function trustedHooks(
  found: HooksFile,
  workspace: string,
  options: TrustOptions,
): Promise<readonly HookSettings[]> {
  const { file, hooks } = found;
  if (hooks.length === 0 || options.trust === "run") return hooks;
  const digest = `sha256:${sha256(file.bytes)}`;
  const candidate = { workspace, path: file.path, digest };
  if ((await options.isTrusted?.(candidate)) === true) return hooks;
  const names = hooks.map(({ name }) => name);
  if (options.trust === "skip") {
    const listed = names.map((name) => `'${name}'`).join(", ");
    options.report(`${file.path} is not trusted; its hooks do not run: ${listed}`, {
      kind: "skipped",
      path: file.path,
    });
    return [];
  }
  throw new HookError(
    "untrusted_workspace",
    `${file.path} is not trusted and its ${names.length} hook(s) would run programs of the repository; ` +
      `read the file, then open with trust: "run", or leave its hooks out with trust: "skip"`,
    { details: { path: file.path, workspace, names } },
  );
}
