import { join, relative } from "node:path";
import { isBasisError } from "@basis/core";
import { loadAgents, type AgentFile } from "@basis/child-policy/agents";
import { pinGrant, type GrantPlace, type PinnedGrant } from "../config/grant.ts";
import { StartError } from "../config/start-error.ts";

/** Where a workspace says who its children are. */
export const AGENTS_FOLDER = ".basis/agents";

/** An agent of the workspace, pinned as its file stands now. */
export interface AskedAgent {
  readonly agent: AgentFile;
  readonly pinned: PinnedGrant;
}

/**
 * Reads `.basis/agents/*.md`. An agent file chooses models and tools, so it is trusted and pinned as hooks are: by its
 * name and bytes.
 *
 * @throws StartError `workspace` naming file and line.
 */
export async function readAskedAgents(place: GrantPlace): Promise<readonly AskedAgent[]> {
  const { workspace, signal } = place;
  const { agents, guardFiles } = await load(join(workspace, AGENTS_FOLDER), signal);
  const digests = new Map(guardFiles.map(({ path, sha256 }) => [path, sha256]));
  const asked: AskedAgent[] = [];
  for (const agent of agents) {
    const settings = { file: relative(workspace, agent.file), sha256: digests.get(agent.file)! };
    const pinned = await pinGrant({ kind: "agent", name: agent.name, settings, variables: [] }, place);
    asked.push({ agent, pinned });
  }
  return asked;
}

async function load(folder: string, signal: AbortSignal | undefined): ReturnType<typeof loadAgents> {
  try {
    return await loadAgents(folder, { signal });
  } catch (error) {
    if (!isBasisError(error, "ChildPolicyError") || error.code !== "agent_files") throw error;
    const { problems } = error.details as unknown as { readonly problems: readonly AgentProblem[] };
    const lines = problems.map(({ file, line, problem }) => `${file}:${line}: ${problem}`);
    throw new StartError("workspace", lines, error);
  }
}

interface AgentProblem {
  readonly file: string;
  readonly line: number;
  readonly problem: string;
}
