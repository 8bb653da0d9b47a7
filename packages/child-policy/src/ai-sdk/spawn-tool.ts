import { Delegation } from "../binding/delegation.ts";
import type { SpawnCallOptions, SpawnFacts, SpawnToolOptions } from "../binding/delegation-options.ts";
import { spawnSchema } from "./spawn-schema.ts";

/** A tool of the AI SDK that delegates. */
export interface SpawnTool {
  readonly description: string;
  /** A schema of ai's own kind, whose type only that package can name. */
  readonly inputSchema: any;
  execute(input: unknown, options: SpawnCallOptions): Promise<string>;
  /** What an approval shows and is bound to; the plan is the one that `execute` runs. For `facts` of `approveTools`. */
  facts(call: { readonly toolCallId: string; readonly input: unknown }): Promise<SpawnFacts>;
}

/**
 * A `spawn` tool for ai 6 and 7: floors first, the policy asked once, the plan's tools and no others. What stands against a
 * delegation is the call's error result.
 */
export function spawnTool<Tools extends object>(options: SpawnToolOptions<Tools>): SpawnTool {
  const delegation = new Delegation(options as unknown as SpawnToolOptions);
  return Object.freeze({
    description: delegation.description,
    inputSchema: spawnSchema(),
    execute: (input, how) => delegation.run(input, how),
    facts: (call) => delegation.facts(call),
  } satisfies SpawnTool);
}
