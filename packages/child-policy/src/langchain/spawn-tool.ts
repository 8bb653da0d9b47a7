import { newId } from "@basis/core";
import { Delegation, DelegationRefused } from "../binding/delegation.ts";
import { ChildPolicyError } from "../child-policy-error.ts";
import type { SpawnFacts } from "../binding/delegation-options.ts";
import { toolsByName, type ListedSpawnOptions } from "../binding/listed-tools.ts";
import { spawnInput } from "../binding/spawn-input.ts";

/** Who delegates, and to what. */
export type SpawnToolOptions<Tool> = ListedSpawnOptions<Tool>;

/** What a tool of LangChain is called with beside its input. */
export interface SpawnRuntime {
  readonly toolCall?: { readonly id?: string | undefined } | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What the spawn tool is made of. */
export interface SpawnToolFields {
  readonly name: "spawn";
  readonly description: string;
  readonly schema: never;
}

/** The part of the module `langchain` that is needed. */
export interface LangChain<Made> {
  readonly tool: (run: (input: never, runtime: never) => unknown, fields: SpawnToolFields) => Made;
  readonly ToolMessage: new (fields: {
    readonly content: string;
    readonly tool_call_id: string;
    readonly name: string;
    readonly status: "error";
  }) => object;
}

/** What the spawn tool has beside the members of a LangChain tool. */
export interface SpawnTool {
  /** What an approval shows and is bound to; the plan is the one that runs. For `facts` of `approvalMiddleware`. */
  facts(call: { readonly toolCallId: string; readonly input: unknown }): Promise<SpawnFacts>;
}

/**
 * A `spawn` tool for langchain 1: floors first, the policy asked once, the plan's tools and no others. What stands against a
 * delegation is the error message that the model reads. A child that interrupts its run interrupts this one, and goes on
 * under the same id in this process. `langchain` is the module itself.
 *
 * @throws ChildPolicyError `invalid_option` when it is not.
 */
export function spawnTool<Made extends object, Tool extends { readonly name: string }>(
  langchain: LangChain<Made>,
  options: SpawnToolOptions<Tool>,
): Made & SpawnTool {
  if (typeof langchain?.tool !== "function" || typeof langchain.ToolMessage !== "function") {
    const problem = "is not the module of langchain 1, which @basis/child-policy/langchain needs";
    throw new ChildPolicyError("invalid_option", `langchain ${problem}`, {
      details: { option: "langchain", problem },
    });
  }
  const delegation = new Delegation({ ...toolsByName(options), waits: isInterrupt });
  const run = async (input: unknown, { toolCall, signal }: SpawnRuntime): Promise<unknown> => {
    const { id } = toolCall ?? {};
    try {
      return await delegation.run(input, { toolCallId: id ?? newId(), abortSignal: signal });
    } catch (error) {
      if (!(error instanceof DelegationRefused) || id === undefined) throw error;
      const { message: content } = error;
      return new langchain.ToolMessage({ content, tool_call_id: id, name: "spawn", status: "error" });
    }
  };
  const { description } = delegation;
  const made = langchain.tool(run, { name: "spawn", description, schema: spawnInput() as never });
  const facts: SpawnTool["facts"] = (call) => delegation.facts(call);
  return Object.assign(made, { facts });
}

/** True for what a graph throws to wait for a person. */
function isInterrupt(error: unknown): boolean {
  return error instanceof Error && (error.name === "GraphInterrupt" || error.name === "NodeInterrupt");
}
