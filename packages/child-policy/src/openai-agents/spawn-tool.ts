import { newId, parseStrict, type JsonObject } from "@basis/core";
import type { ChildRun, SpawnToolOptions as AnySpawnToolOptions } from "../ai-sdk/spawn-options.ts";
import { DelegationRefused, spawnTool as anySpawnTool } from "../ai-sdk/spawn-tool.ts";
import type { DelegationEnd } from "../results/index.ts";

/** A child as its host runs it: hand these to an agent, and run that. */
export interface AgentChildRun<Tool> extends Omit<ChildRun, "tools"> {
  /** Exactly the tools of the plan. */
  readonly tools: Tool[];
}

/** Who delegates, and to what. */
export interface SpawnToolOptions<Tool> extends Omit<AnySpawnToolOptions, "tools" | "run"> {
  /** The tools of one child before its roster is applied, guarded for that agent; its own spawn tool included, if it may have one. */
  tools(child: Pick<ChildRun, "agentId" | "depth"> & { readonly parentAgentId: string }): readonly Tool[];
  run(child: AgentChildRun<Tool>): PromiseLike<string | DelegationEnd>;
}

/** What the runner hands to the tool beside its input. */
export interface SpawnDetails {
  readonly toolCall?: { readonly callId: string } | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A function tool of OpenAI Agents that delegates. */
export interface SpawnTool {
  readonly type: "function";
  readonly name: "spawn";
  readonly description: string;
  readonly parameters: {
    type: "object";
    properties: { input: { type: "string"; description: string } };
    required: ["input"];
    additionalProperties: false;
  };
  readonly strict: true;
  readonly deferLoading: false;
  invoke(context: unknown, input: string, details?: SpawnDetails): Promise<string>;
  needsApproval(): Promise<boolean>;
  isEnabled(): Promise<boolean>;
  /** What an approval shows and is bound to; the plan is the one that `invoke` runs. For `facts` of `approveTools`. */
  facts(call: { readonly toolCallId: string; readonly input: unknown }): Promise<{
    readonly preview: JsonObject;
    readonly binding: string;
    readonly sideEffectLevel: "local_state";
    readonly effect: "delegate";
  }>;
}

/**
 * A `spawn` tool for `@openai/agents` 0.20: floors first, the policy asked once, the plan's tools and no others. What stands
 * against a delegation is the result that the model reads, and the run goes on.
 */
export function spawnTool<Tool extends { readonly name: string }>(
  options: SpawnToolOptions<Tool>,
): SpawnTool {
  const { execute, description, facts } = anySpawnTool({
    ...options,
    tools: (child) => byName(options.tools(child)),
    run: ({ tools, ...child }) => options.run({ ...child, tools: Object.values(tools) as unknown as Tool[] }),
  });
  const invoke: SpawnTool["invoke"] = async (_context, input, details) => {
    const parsed = parseStrict(input);
    if (!parsed.ok) return `Invalid input for 'spawn': ${parsed.message}`;
    const how = { toolCallId: details?.toolCall?.callId ?? newId(), abortSignal: details?.signal };
    try {
      return await execute(parsed.value, how);
    } catch (error) {
      if (error instanceof DelegationRefused) return error.message;
      throw error;
    }
  };
  return Object.freeze({
    type: "function",
    name: "spawn",
    description,
    parameters: {
      type: "object",
      properties: { input: { type: "string", description: "The task, written out." } },
      required: ["input"],
      additionalProperties: false,
    },
    strict: true,
    deferLoading: false,
    invoke,
    needsApproval: async () => false,
    isEnabled: async () => true,
    facts,
  } satisfies SpawnTool);
}

function byName<Tool extends { readonly name: string }>(tools: readonly Tool[]): Record<string, Tool> {
  return Object.fromEntries(tools.map((tool) => [tool.name, tool]));
}
