import type { AgentFile } from "@basis/child-policy/agents";
import type { ModelRef } from "@basis/core";
import type { AgentSetup } from "../agent/run/run-context.ts";
import { systemPrompt } from "../agent/model/system-prompt.ts";
import type { Model } from "../providers/model.ts";
import type { ModelSource } from "../providers/model-source.ts";
import type { HostStore } from "../store/host-store.ts";
import type { Tool } from "../tools/tool.ts";
import { SKILL_TOOL } from "../skills/skill-tool.ts";
import type { RunRequest } from "./prepare-run.ts";
import { sessionTools } from "./session-tools.ts";
import type { WorkspaceFacts } from "./workspace.ts";

/** Where the agent that a user talks to works, and who it is. */
export interface MainSeat {
  readonly sessionId: string;
  readonly member: string;
  /** The agent of the workspace that it is; undefined for the main one. */
  readonly persona: AgentFile | undefined;
  /** Which model it was asked for with. */
  readonly asked: Pick<RunRequest, "keepsModel" | "model">;
  /** Every tool that the host would offer it. */
  readonly every: ReadonlyMap<string, Tool>;
}

/** The parts of a host that make an agent. */
export interface MainParts {
  readonly store: HostStore;
  readonly models: ModelSource;
}

/**
 * The agent that a user talks to. An agent file gives it its text in place of the host's own, above the AGENTS.md
 * chain, its model and at most the tools that it names.
 *
 * @throws ModelError when the named model cannot be opened.
 */
export async function mainAgent(
  { store, models }: MainParts,
  workspace: WorkspaceFacts,
  { sessionId, member, persona, asked, every }: MainSeat,
): Promise<AgentSetup> {
  const { roster, system: own } = persona?.spec ?? {};
  const left = await sessionTools(store, sessionId, every);
  const tools = roster === undefined ? left : new Map([...left].filter(([name]) => roster.allows(name)));
  const { contextFiles } = workspace;
  const skills = tools.has(SKILL_TOOL) ? workspace.skills : [];
  const isWorkspaces = own === undefined && skills === workspace.skills;
  const system = isWorkspaces ? workspace.system : systemPrompt({ contextFiles, skills }, own);
  const model = modelOf(models, asked.model ?? (asked.keepsModel ? undefined : persona?.spec.model));
  const name = persona?.name ?? "main";
  return { name, agentId: member, depth: 0, member, model, system, ownSystem: system, tools };
}

function modelOf(models: ModelSource, ref: ModelRef | undefined): Model {
  return ref === undefined ? models.main : models.open(ref);
}
