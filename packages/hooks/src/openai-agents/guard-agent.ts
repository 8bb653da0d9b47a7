import { providerSetting } from "@basis/core/provider-tools";
import { unguarded, type ToolGuards } from "../binding/tool-guards.ts";
import { noteGuardedAgent, type AgentTool, type FunctionTool } from "./agent-tool.ts";
import { guardTools, type GuardToolsOptions } from "./guard-tools.ts";

/** An agent of OpenAI Agents, as far as a guard looks at it. */
interface Agent {
  readonly name: string;
  readonly tools: readonly AgentTool[];
  handoffs: readonly (Agent | Handoff)[];
  readonly mcpServers?: readonly unknown[];
  readonly prompt?: unknown;
  readonly modelSettings?: { readonly providerData?: unknown } | undefined;
  clone(changes: object): Agent;
  asTool(options: object): FunctionTool;
}

interface Handoff {
  readonly agent: Agent;
  readonly toolName: string;
  readonly inputJsonSchema?: { readonly properties?: object } | undefined;
  clone(changes: { readonly agent: Agent }): Handoff;
}

/** How an agent as a tool is run, as far as it may bring tools. */
interface RunConfig {
  readonly modelSettings?: { readonly providerData?: unknown } | undefined;
  readonly sandbox?: unknown;
}

/** Whose tools are guarded, and how. */
export interface GuardAgentOptions extends Omit<GuardToolsOptions, "agentId"> {
  /** Default: the agent's name. An agent that takes over by a handoff has its own name. */
  readonly agentId?: string | undefined;
}

/**
 * A copy of an agent whose tools, and those of every agent that it can hand over to, pass one chain. Its `asTool` makes
 * tools that `guardTools` takes.
 *
 * @throws HookError `unguarded_tool` naming a tool that can run without the guard, or an agent that brings tools which
 * are not in its list: of MCP servers, of a stored prompt, of a sandbox.
 */
export function guardAgent<AnAgent extends object>(
  agent: AnAgent,
  guards: ToolGuards,
  options: GuardAgentOptions,
): AnAgent {
  const { name } = agent as unknown as Agent;
  const own: GuardToolsOptions = { ...options, agentId: options.agentId ?? name };
  return new Guarding(guards, options).guard(agent as unknown as Agent, own) as unknown as AnAgent;
}

class Guarding {
  readonly #guards: ToolGuards;
  readonly #options: GuardAgentOptions;
  /** Agents hand over to each other in circles. */
  readonly #copies = new Map<Agent, Agent>();

  constructor(guards: ToolGuards, options: GuardAgentOptions) {
    this.#guards = guards;
    this.#options = options;
  }

  guard(agent: Agent, options: GuardToolsOptions): Agent {
    const known = this.#copies.get(agent);
    if (known !== undefined) return known;
    const reason = whyIncomplete(agent);
    if (reason !== undefined) throw unguarded(agent.name, reason);
    const tools = guardTools(agent.tools, this.#guards, options);
    // The list of servers would be shared with the agent, and takes more.
    const copy = agent.clone({ tools, handoffs: [], mcpServers: Object.freeze([]) });
    this.#copies.set(agent, copy);
    copy.handoffs = Object.freeze(agent.handoffs.map((handoff) => this.#guardHandoff(handoff)));
    const { asTool } = copy;
    copy.asTool = (how) => {
      const { modelSettings, sandbox } = Object(Object(how).runConfig) as RunConfig;
      if (bringsTools(modelSettings?.providerData) || sandbox !== undefined)
        throw unguarded(agent.name, "would run by a runConfig that brings tools past its list");
      const tool = asTool.call(copy, how);
      noteGuardedAgent(tool);
      return tool;
    };
    return copy;
  }

  #guardHandoff(handoff: Agent | Handoff): Agent | Handoff {
    if (!("agent" in handoff)) return this.#guardTarget(handoff);
    const { toolName, inputJsonSchema } = handoff;
    const takesInput = Object.keys(inputJsonSchema?.properties ?? {}).length > 0;
    if (takesInput && this.#options.outside?.includes(toolName) !== true)
      throw unguarded(toolName, "is a handoff whose onHandoff gets the model's input past the guards");
    return handoff.clone({ agent: this.#guardTarget(handoff.agent) });
  }

  #guardTarget(agent: Agent): Agent {
    return this.guard(agent, { ...this.#options, agentId: agent.name });
  }
}

/** What of an agent's tools is not in its list, as words after its name. */
function whyIncomplete(agent: Agent): string | undefined {
  if ("capabilities" in agent)
    return "is the agent of a sandbox, whose tools come with the run where no guard sees them";
  if ((agent.mcpServers?.length ?? 0) > 0)
    return "is an agent with mcpServers: pass their tools in its list, as getAllMcpTools(…) answers them";
  if (agent.prompt !== undefined)
    return "is an agent with a stored prompt, which may bring tools of the provider";
  if (bringsTools(agent.modelSettings?.providerData))
    return "is an agent whose modelSettings.providerData brings tools of the provider";
  return undefined;
}

/** What is handed to the provider as it is, and may name tools of its own. */
function bringsTools(providerData: unknown): boolean {
  const { extraBody, extra_body } = Object(providerData) as Record<string, unknown>;
  return [providerData, extraBody, extra_body].some(
    (body) =>
      (Object(body) as { readonly tools?: unknown }).tools !== undefined ||
      providerSetting(body) !== undefined,
  );
}
