import { isBasisError } from "@basis/core";
import { configDirectory, type Environment } from "../config/data-dir.ts";
import { StartError, startError } from "../config/start-error.ts";
import { workspaceTrust } from "../config/workspace-trust.ts";
import { openWorkspaceFacts, type WorkspaceFacts } from "../host/workspace.ts";
import { warn } from "./output-format.ts";

/** Which folder, and what this start says about trusting it. */
export interface GuardedWorkspace {
  readonly env: Environment;
  readonly directory: string;
  readonly dataDir: string;
  readonly trustWorkspace: boolean;
  readonly ephemeral: boolean;
  readonly allowRun: boolean;
  readonly signal: AbortSignal;
}

/**
 * Reads the workspace's files, then settles its trust.
 *
 * @throws StartError `workspace` for files that are wrong, `trust` for hooks that nobody has trusted.
 */
export async function openGuardedWorkspace(request: GuardedWorkspace): Promise<WorkspaceFacts> {
  const { env, directory, allowRun, signal } = request;
  if (allowRun) warnOfKeys(env);
  try {
    return await openWorkspaceFacts({
      directory,
      configDir: configDirectory(env),
      env,
      ...workspaceTrust(request),
      allowCommands: allowRun,
      report: warn,
      signal,
    });
  } catch (error) {
    throw untrusted(error) ?? startError("workspace", error);
  }
}

/** Programs get none of the host's keys, but they run as the same user. */
function warnOfKeys(env: Environment): void {
  const keys = Object.keys(env).filter((name) => /_(API_KEY|TOKEN|SECRET)$/.test(name) && env[name]);
  if (keys.length > 0)
    warn(`programs that the agent starts run as you: they could read ${keys.join(", ")} from this process`);
}

function untrusted(error: unknown): StartError | undefined {
  if (!isBasisError(error, "HookError") || error.code !== "untrusted_workspace") return undefined;
  const { path, names } = error.details as unknown as { path: string; names: readonly string[] };
  const listed = names.map((name) => `'${name}'`).join(", ");
  return new StartError(
    "trust",
    [
      `${path} is not trusted, or has changed since it was; it would run programs of this repository: ${listed}`,
      "read that file and what it names, then start once with --trust-workspace",
    ],
    error,
  );
}
