import { newId, parseStrict } from "@basis/core";
import { Delegation, DelegationRefused } from "../binding/delegation.ts";
import type { SpawnFacts } from "../binding/delegation-options.ts";
import { toolsByName, type ListedSpawnOptions } from "../binding/listed-tools.ts";
import { spawnInput, type SpawnInput } from "../binding/spawn-input.ts";

/** Who delegates, and to what. */
export type SpawnToolOptions<Tool> = ListedSpawnOptions<Tool>;

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
  readonly parameters: SpawnInput;
  readonly strict: true;
  readonly deferLoading: false;
  invoke(context: unknown, input: string, details?: SpawnDetails): Promise<string>;
  needsApproval(): Promise<boolean>;
  isEnabled(): Promise<boolean>;
  /** What an approval shows and is bound to; the plan is the one that `invoke` runs. For `facts` of `approveTools`. */
  facts(call: { readonly toolCallId: string; readonly input: unknown }): Promise<SpawnFacts>;
}

/**
 * A `spawn` tool for `@openai/agents` 0.20: floors first, the policy asked once, the plan's tools and no others. What stands
 * against a delegation is the result that the model reads, and the run goes on.
 */
export function spawnTool<Tool extends { readonly name: string }>(
  options: SpawnToolOptions<Tool>,
): SpawnTool {
  const delegation = new Delegation(toolsByName(options));
  const invoke: SpawnTool["invoke"] = async (_context, input, details) => {
    const parsed = parseStrict(input);
    if (!parsed.ok) return `Invalid input for 'spawn': ${parsed.message}`;
    const how = { toolCallId: details?.toolCall?.callId ?? newId(), abortSignal: details?.signal };
    try {
      return await delegation.run(parsed.value, how);
    } catch (error) {
      if (error instanceof DelegationRefused) return error.message;
      throw error;
    }
  };
  return Object.freeze({
    type: "function",
    name: "spawn",
    description: delegation.description,
    parameters: spawnInput(),
    strict: true,
    deferLoading: false,
    invoke,
    needsApproval: async () => false,
    isEnabled: async () => true,
    facts: (call) => delegation.facts(call),
  } satisfies SpawnTool);
}
