import type { AnyHookError } from "@basis/hooks";
import { configDirectory, type Environment } from "../config/data-dir.ts";
import { isTrustRefusal, StartError, startError } from "../config/start-error.ts";
import { workspaceTrust } from "../config/workspace-trust.ts";
import { AGENTS_FOLDER } from "../host/workspace-agents.ts";
import { SKILLS_FOLDER } from "../host/workspace-skills.ts";
import { LiveWorkspace } from "../host/live-workspace.ts";
import { warn } from "./terminal/output-format.ts";

/** Which folder, and what this start says about trusting it. */
export interface GuardedWorkspace {
  readonly env: Environment;
  readonly directory: string;
  readonly dataDir: string;
  readonly trustWorkspace: boolean;
  readonly trustUnpinned: boolean;
  readonly ephemeral: boolean;
  readonly allowRun: boolean;
  readonly signal: AbortSignal;
}

/**
 * Reads the workspace's files, then settles its trust.
 *
 * @throws StartError `workspace` for files that are wrong, `trust` for hooks that nobody has trusted.
 */
export async function openGuardedWorkspace(request: GuardedWorkspace): Promise<LiveWorkspace> {
  const { env, directory, allowRun, signal } = request;
  if (allowRun) warnOfKeys(env);
  try {
    return await LiveWorkspace.open({
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
  return isTrustRefusal(error) ? new StartError("trust", trustProblems(error), error) : undefined;
}

/** What is wrong, and what to do about it in this command line. */
function trustProblems(error: AnyHookError): readonly string[] {
  switch (error.code) {
    case "modified_workspace": {
      const { path, changes } = error.details;
      return [`${path} has changed since it was trusted: ${changes.join("; ")}`, READ_AND_TRUST];
    }
    case "unpinned_code": {
      const { path, unpinned } = error.details;
      return [`${path} has code that may change unnoticed: ${unpinned.join("; ")}`, CONFIRM_UNPINNED];
    }
    case "untrusted_workspace": {
      const { path, names } = error.details;
      const listed = names.map((name) => `'${name}'`).join(", ");
      const would = whatItWouldDo(path);
      return [`${path} is not trusted; it would ${would}: ${listed}`, READ_AND_TRUST];
    }
    default:
      return [error.message];
  }
}

function whatItWouldDo(path: string): string {
  if (path.endsWith(AGENTS_FOLDER)) return "choose models and tools for delegated agents";
  if (path.endsWith(SKILLS_FOLDER)) return "tell agents what to do";
  return "run programs of this repository or open connections";
}

const CONFIRM_UNPINNED = "name a script in a file there, or add --trust-unpinned";
const READ_AND_TRUST = "read that file and what it names, then start once with --trust-workspace";
